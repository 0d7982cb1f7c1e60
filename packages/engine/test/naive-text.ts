/** The model's parsing of texts: times, durations, patterns and comparators. */
import type { WriteIntent } from '@writecheck/contract';
import type { ProfileDocument } from '../src/policy/documents.ts';

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Null if the text has no offset: then the instant is unknown. */
export const instant = (text: string): number | null =>
  /(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : null;

export function durationMs(text: string): number {
  const unit = { s: 1e3, m: 6e4, h: 36e5, d: 864e5 }[text.slice(-1)] as number;
  return Number(text.slice(0, -1)) * unit;
}

/** Letter by letter: `*` takes nothing, or one letter and stays. */
function glob(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] !== '*') return pattern[0] === text[0] && glob(pattern.slice(1), text.slice(1));
  return glob(pattern.slice(1), text) || (text !== '' && glob(pattern, text.slice(1)));
}

export function matches(profile: Pick<ProfileDocument, 'match' | 'absent'>, intent: WriteIntent): boolean {
  const { match = {}, absent } = profile;
  const { field, operation } = intent;
  // It matches on one of the two, and the intent has only the other.
  if (absent === 'skip' && field === undefined && operation !== undefined)
    if (match.field !== undefined && match.operation === undefined) return false;
  if (absent === 'skip' && operation === undefined && field !== undefined)
    if (match.operation !== undefined && match.field === undefined) return false;
  return (['system', 'objectType', 'field', 'operation'] as const).every((member) => {
    const pattern = match[member];
    const value = intent[member];
    if (pattern === undefined) return true;
    if (value === undefined) return true;
    return [pattern].flat().some((one) => glob(lower(one), lower(value)));
  });
}

/** It matches on the member, or reads it in its condition. */
export function speaksOf(
  { match = {}, when = '' }: Pick<ProfileDocument, 'match' | 'when'>,
  member: 'field' | 'operation',
): boolean {
  return match[member] !== undefined || when.includes(`intent.${member}`);
}

/** Every member it matches on is sent, and a permit for one of the two does not cover both. */
export function mayPermit(profile: ProfileDocument, intent: WriteIntent): boolean {
  const sent = (['objectType', 'field', 'operation'] as const).every(
    (member) => profile.match?.[member] === undefined || intent[member] !== undefined,
  );
  const both = intent.field !== undefined && intent.operation !== undefined;
  return sent && (!both || speaksOf(profile, 'field') === speaksOf(profile, 'operation'));
}

/** Every member it matches on is sent; of `field` and `operation`, one suffices. */
export function isWhole({ match = {} }: ProfileDocument, intent: WriteIntent): boolean {
  if (match.objectType !== undefined && intent.objectType === undefined) return false;
  const ways = (['field', 'operation'] as const).filter((member) => match[member] !== undefined);
  return ways.length === 0 || ways.some((member) => intent[member] !== undefined);
}

/** Most match members, then the more exact ones, then the more lists. */
export function specificity({ match = {} }: ProfileDocument): number {
  const patterns = Object.values(match);
  const exact = patterns.filter((pattern) => typeof pattern === 'string' && !pattern.includes('*')).length;
  const lists = patterns.filter((pattern) => typeof pattern !== 'string').length;
  return patterns.length * 100 + exact * 10 + lists;
}

const trim = (text: string): string => text.replace(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, '');

function readNumber(text: string): string | null {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return null;
  const digits = `${text}${text.includes('.') ? '' : '.'}`.replace('-', '').replace(/^0+|0+$/g, '');
  return digits === '.' ? digits : text.startsWith('-') ? `-${digits}` : digits;
}

/** Whole seconds and every digit of the fraction. */
function readInstant(text: string): string | null {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const second = /^\d{4}-\d\d-\d\dT/.test(text) ? instant(text.replace(/\.\d+/, '')) : null;
  return second === null || Number.isNaN(second) ? null : `${second}.${fraction.replace(/0+$/, '')}`;
}

export function equalBy(comparator: string, a: string, b: string): boolean {
  if (comparator === 'caseless') return lower(a) === lower(b);
  if (comparator === 'trimmed') return trim(a) === trim(b);
  const read = comparator === 'number' ? readNumber : readInstant;
  return read(a) !== null && read(a) === read(b);
}
