/** The paths that a limit counts by and sums: which there are, and how their values are read. */
import { amountOfNumber, amountOfText, type WriteIntent } from '@writecheck/contract';
import { faultOfPath } from '../conditions/paths.ts';
import { quoted } from './faults.ts';
import { asciiLower, MATCH_MEMBERS } from './match.ts';

export const KEY_PATH = 'key';

/** What a limit's paths are looked up in. */
export interface LimitSources {
  readonly intent: WriteIntent;
  /** The id of the first key of a rotation chain; null if no key asks. */
  readonly keyId: string | null;
}

export function faultOfLimitPath(path: string, allowsKey: boolean): string | null {
  const [root, ...members] = path.split('.');
  if (path === KEY_PATH && allowsKey) return null;
  if (root === 'intent') return faultOfPath(members);
  const known = allowsKey ? '`intent` or `facts`, or be `key`' : '`intent` or `facts`';
  return `a path must begin with ${known}, found ${quoted(path)}`;
}

/** The texts that name the group, or null if one of its values cannot be read. */
export function groupAt(paths: readonly string[], sources: LimitSources): readonly string[] | null {
  const texts: string[] = [];
  for (const path of paths) {
    const text = path === KEY_PATH ? sources.keyId : textOf(valueAt(path, sources), path);
    if (text === null) return null;
    texts.push(text);
  }
  return texts;
}

/** In millionths; null if it cannot be read or is negative. */
export function amountAt(path: string, sources: LimitSources): bigint | null {
  const value = valueAt(path, sources);
  if (typeof value === 'number') return amountOfNumber(value);
  return typeof value === 'string' ? amountOfText(value) : null;
}

function textOf(value: unknown, path: string): string | null {
  switch (typeof value) {
    case 'string':
      return isCaseless(path) ? asciiLower(value) : value;
    // As RFC 8785 writes them.
    case 'number':
    case 'boolean':
      return JSON.stringify(value);
    default:
      return null;
  }
}

/** The members that a match compares caselessly. */
function isCaseless(path: string): boolean {
  return MATCH_MEMBERS.some((member) => path === `intent.${member}`);
}

/** Only own members of objects, as in conditions. */
function valueAt(path: string, { intent }: LimitSources): unknown {
  let value: unknown = intent;
  for (const member of path.split('.').slice(1)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    if (!Object.hasOwn(value, member)) return undefined;
    value = (value as { readonly [name: string]: unknown })[member];
  }
  return value;
}
