/**
 * How the outcomes of a commit come back from the writer thread: two numbers for each entry, and plain values only
 * for what few requests have. Only this path turns an outcome into the proof that an entry is durable.
 */
import type { LimitState } from '@writecheck/contract';
import type { Refused } from '../commit/admit.ts';
import type { RequestResult } from '../commit/build-commit.ts';
import { committed } from '../commit/committed.ts';
import type { CommitRequest, EntryOutcome, Inclusion, RequestOutcome } from '../port.ts';

const OVER_QUOTA = -1;

export interface PackedOutcomes {
  /** For each entry of each request, the index of its leaf, or `OVER_QUOTA`; no number if its request was refused. */
  readonly leafIndexes: readonly number[];
  readonly used: readonly number[];
  /** By the number of the request. */
  readonly refused: ReadonlyMap<number, Refused> | null;
  /** By the number of the entry. */
  readonly inclusions: ReadonlyMap<number, Inclusion> | null;
  /** By the number of the entry: of those whose counters moved. */
  readonly limits: ReadonlyMap<number, readonly LimitState[]> | null;
}

/** One result for each request. */
export function packOutcomes(
  results: readonly RequestResult[],
  requests: readonly { readonly entries: readonly unknown[] }[],
): PackedOutcomes {
  const leafIndexes: number[] = [];
  const used: number[] = [];
  let refused: Map<number, Refused> | null = null;
  let inclusions: Map<number, Inclusion> | null = null;
  let limits: Map<number, readonly LimitState[]> | null = null;
  for (const [i, result] of results.entries()) {
    if (result.kind !== 'done') {
      refused ??= new Map();
      refused.set(i, result);
      for (const _ of requests[i]!.entries) {
        leafIndexes.push(Number.NaN);
        used.push(Number.NaN);
      }
      continue;
    }
    for (const entry of result.entries) {
      const at = leafIndexes.push(entry.kind === 'committed' ? entry.leafIndex : OVER_QUOTA) - 1;
      used.push(entry.used);
      if (entry.kind === 'committed' && entry.inclusion !== undefined) {
        inclusions ??= new Map();
        inclusions.set(at, entry.inclusion);
      }
      if (entry.kind === 'committed' && entry.limits !== undefined) {
        limits ??= new Map();
        limits.set(at, entry.limits);
      }
    }
  }
  return { leafIndexes, used, refused, inclusions, limits };
}

/** `requests` are those that were sent: this side already knows which decision an outcome belongs to. */
export function unpackOutcomes(
  packed: PackedOutcomes,
  requests: readonly CommitRequest[],
  log: string,
): readonly RequestOutcome[] {
  let at = 0;
  const outcomes = requests.map((request, i): RequestOutcome => {
    const refused = packed.refused?.get(i);
    if (refused !== undefined) {
      at += request.entries.length;
      return refused;
    }
    return {
      kind: 'done',
      entries: request.entries.map((_, j) => unpackEntry(packed, at++, request, j, log)),
    };
  });
  // INVARIANT: every outcome has found its request; with one too many or too few, none can be trusted.
  if (at !== packed.leafIndexes.length)
    throw new RangeError('the outcomes of a commit do not fit its requests');
  return outcomes;
}

function unpackEntry(
  { leafIndexes, used: uses, inclusions, limits }: PackedOutcomes,
  at: number,
  { entries, limit, proven }: CommitRequest,
  j: number,
  log: string,
): EntryOutcome {
  const leafIndex = leafIndexes[at];
  const used = uses[at]!;
  if (leafIndex === OVER_QUOTA && limit !== null) return { kind: 'quota_exceeded', used, limit };
  const inclusion = inclusions?.get(at);
  // INVARIANT: doubt never becomes a response or a receipt.
  if (leafIndex === undefined || !(leafIndex >= 0) || (inclusion !== undefined) !== (proven === true))
    throw new RangeError('the outcomes of a commit do not fit its requests');
  const moved = limits?.get(at);
  return committed(entries[j]!.leaf.decision_id, log, leafIndex, used, {
    ...(inclusion !== undefined && { inclusion }),
    ...(moved !== undefined && { limits: moved }),
  });
}
