/** The model's reading of texts: times, durations, patterns and comparators. */
import type { WriteIntent } from '@writecheck/contract';
import type { ProfileDocument } from '../src/policy/documents.ts';

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Null if the text has no offset: then nobody knows which instant it means. */
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

export function matches(
  profile: Pick<ProfileDocument, 'match' | 'absent' | 'permit'>,
  intent: WriteIntent,
): boolean {
  return (['system', 'objectType', 'field', 'operation'] as const).every((member) => {
    const pattern = profile.match?.[member];
    const value = intent[member];
    if (pattern === undefined) return true;
    if (value === undefined) return profile.absent !== 'skip' && profile.permit !== true;
    return [pattern].flat().some((one) => glob(lower(one), lower(value)));
  });
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
