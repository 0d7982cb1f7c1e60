/** Charges a workspace for what an operation stores, and refuses one that has reached the ceiling of its day. */
import { BYTES, dayOf } from '../commit/stored-bytes.ts';
import type { ActingOver } from '../port/acting.ts';
import { type Charged, type Read, sql, Undone } from './operation.ts';
import { STANDING, type StandingRow, standingOf } from './standing.ts';

/** What ends something, such as a revocation or a freeze, has this much more room. */
const MORE_TO_END = 1.125;

/**
 * `isEnding`: whether it only takes something away. `mayRefuse` is false for an operator.
 *
 * INVARIANT: the caller holds the row of the workspace, so changes pass a ceiling one at a time: by one change at most.
 */
export function* charge(
  workspace: string,
  atMs: number,
  { isEnding = false, mayRefuse = true }: { readonly isEnding?: boolean; readonly mayRefuse?: boolean } = {},
): Generator<Charged | Step<Read<unknown>>, void, readonly unknown[]> {
  const [{ at_most: atMost }] = (yield { kind: 'charged', workspace, atMs }) as readonly [
    { readonly at_most: number | null },
  ];
  if (atMost === null || !mayRefuse) return;
  const [row] =
    yield* sql<StandingRow>`SELECT ${STANDING} FROM writecheck.workspace w WHERE id = ${workspace}`;
  if (row === undefined || !standingOf(row).isSelfServe) return;
  const [stored] = yield* sql<{ readonly used: number }>`SELECT coalesce(sum(used), 0)::bigint AS used
    FROM writecheck.usage WHERE workspace = ${workspace} AND period = ${dayOf(atMs)} AND kind = ${BYTES}`;
  if (stored!.used >= atMost * (isEnding ? MORE_TO_END : 1))
    throw new Undone({ kind: 'acting_over', code: 'quota_exceeded' } satisfies ActingOver);
}

type Step<G> = G extends Generator<infer S, unknown, unknown> ? S : never;
