/**
 * Entries of which every member is known: written member by member, so that nothing else in a caller's object gets
 * into the log, and read only if they are spelled exactly like that.
 */
import { canonicalJson, isObject } from '@writecheck/contract';
import { isCanonical, isInstant, isLogName, isText, type ParsedObject } from './leaf.ts';

export type Check = (value: unknown) => boolean;

/** The checks of the members besides `kind`, `log`, `workspace` and `timestamp`, which every such entry has. */
type Members<E> = { readonly [name in Exclude<keyof E, 'kind' | 'log' | 'workspace' | 'timestamp'>]: Check };

export function oneOf(words: readonly string[]): Check {
  return (value) => words.some((word) => word === value);
}

/** Somebody of one of these kinds, by id. */
export function actorOf(kinds: readonly string[]): Check {
  const isKind = oneOf(kinds);
  return (value) => isObject(value) && isKind(value.kind) && isText(value.id);
}

const encoder = new TextEncoder();

export interface ExactEntry<E> {
  /** Throws if a member holds anything that is not JSON. */
  bytes(entry: E): Uint8Array;
  /** Null unless the text is exactly what `bytes` writes. */
  of(parsed: ParsedObject): E | null;
}

export function exactEntry<E extends { readonly kind: string; readonly by: object | null }>(
  kind: E['kind'],
  members: Members<E>,
): ExactEntry<E> {
  const names = ['kind', 'log', 'workspace', 'timestamp', ...Object.keys(members)];
  /** Nothing else in a caller's object gets into the log. */
  const exact = (entry: E): { readonly [name: string]: unknown } => {
    const { id, kind: author } = (entry.by ?? {}) as { readonly id?: string; readonly kind?: string };
    const all: { readonly [name: string]: unknown } = {
      ...entry,
      by: entry.by === null ? null : { id, kind: author },
    };
    return Object.fromEntries(names.map((name) => [name, all[name]]));
  };
  const checks = Object.entries<Check>({
    kind: (value) => value === kind,
    log: isLogName,
    workspace: isText,
    timestamp: isInstant,
    ...members,
  });
  return {
    bytes: (entry) => encoder.encode(canonicalJson(exact(entry))),
    of({ text, value }) {
      const entry = value as unknown as E;
      const isRight = checks.every(([name, isMember]) => isMember(value[name]));
      return isRight && isCanonical(exact(entry), text) ? entry : null;
    },
  };
}
