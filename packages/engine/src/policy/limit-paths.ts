/** The paths that a limit counts by and sums: which exist, and how their values are read. */
import { amountOfNumber, amountOfText, type WriteIntent } from '@writecheck/contract';
import { type CompiledPath, compilePath } from '../conditions/compile-path.ts';
import type { FactsOf } from '../conditions/compiled-condition.ts';
import type { ConditionFault } from '../conditions/condition.ts';
import { asciiLower, MATCH_MEMBERS } from './match.ts';

/** Counts each key separately, together with those it was rotated from and into. */
export const KEY_PATH = 'key';

/** The sources of a limit's paths. */
export interface LimitSources {
  readonly intent: WriteIntent;
  readonly facts: FactsOf;
  /** The id of the first key of a rotation chain; null if no key asks. */
  readonly firstKeyId: string | null;
}

/** A path that compiled. */
export interface LimitPath {
  readonly source: string;
  /** Null for `key`. */
  readonly path: CompiledPath | null;
  /** Whether its texts are compared case-insensitively, as in a match. */
  readonly isCaseless: boolean;
}

/** `factsControls` are the ids that may follow `facts`; null if that was checked before. */
export function faultsOfLimitPath(
  source: string,
  factsControls: ReadonlySet<string> | null,
): readonly ConditionFault[] {
  if (source === KEY_PATH) return [];
  const compiled = compilePath(source, factsControls);
  return compiled.kind === 'path' ? [] : compiled.faults;
}

export function limitPath(source: string): LimitPath {
  const compiled = source === KEY_PATH ? null : compilePath(source, null);
  if (compiled?.kind === 'invalid')
    throw new Error(`the path ${source} does not compile, although its bundle did`);
  return Object.freeze({
    source,
    path: compiled,
    isCaseless: compiled !== null && isMatched(compiled),
  });
}

/**
 * Whether a match compares its value. INVARIANT: decided by the resolved steps, because a path has several
 * spellings.
 */
export function isMatched({ controlId, steps }: CompiledPath): boolean {
  return controlId === null && steps.length === 1 && MATCH_MEMBERS.some((member) => steps[0] === member);
}

/** The texts that name the group, or null if one of its values cannot be read. */
export function groupAt(paths: readonly LimitPath[], sources: LimitSources): readonly string[] | null {
  const texts: string[] = [];
  for (const { path, isCaseless } of paths) {
    const text =
      path === null ? sources.firstKeyId : textOf(path.read(sources.intent, sources.facts), isCaseless);
    if (text === null) return null;
    texts.push(text);
  }
  return texts;
}

/** The amount in millionths; null if it cannot be read or is negative. */
export function amountAt({ path }: LimitPath, { intent, facts }: LimitSources): bigint | null {
  const value = path?.read(intent, facts);
  if (typeof value === 'number') return amountOfNumber(value);
  return typeof value === 'string' ? amountOfText(value) : null;
}

function textOf(value: unknown, isCaseless: boolean): string | null {
  switch (typeof value) {
    case 'string':
      return isCaseless ? asciiLower(value) : value;
    // JSON.stringify writes them as RFC 8785 does.
    case 'number':
    case 'boolean':
      return JSON.stringify(value);
    default:
      return null;
  }
}
