/** Builds the segment of an admitted group, and reports the outcome of each request. */

import type { SegmentEntry } from '../log/segment.ts';
import type { CommitRequest, CommitResult, Committed, FoundLimits } from '../port/commit.ts';
import type { MovedLimits } from '../port/limits.ts';
import type { Account, AdmittedGroup } from './admit.ts';
import { type BuiltSegment, type Head, SegmentBuilder } from './segment-builder.ts';

/** Final only after the sync; `committed` then turns it into the proof. */
export type RequestResult =
  | Pick<Committed, 'kind' | 'leafIndex' | 'used' | 'limits'>
  | Exclude<CommitResult, Committed>;

export interface TimedEntry extends SegmentEntry {
  readonly atMs: number;
}

/** The members of a request that its results depend on. */
export type Buildable = Pick<CommitRequest, 'atMs' | 'redeems'>;

interface BuiltCommit {
  readonly segment: BuiltSegment;
  /** One for each request, in order, given how much of each account was used before this commit. */
  results(usedBefore: (account: Account) => number): readonly RequestResult[];
}

/** Returns stored bytes. Called for admitted requests only, in order. */
export interface BytesOf<Request> {
  decision(request: Request, moved: MovedLimits | null): SegmentEntry;
  /** Called for a decision that is redeemed in its commit. */
  redemption(request: Request): SegmentEntry;
}

/** `reports` are the entries of outcomes, which come after the decisions. */
export function buildCommit<Request extends Buildable>(
  head: Head,
  admission: Pick<AdmittedGroup<Request>, 'requests'>,
  bytesOf: BytesOf<Request>,
  reports: readonly TimedEntry[],
): BuiltCommit {
  const builder = new SegmentBuilder(head);
  for (const admitted of admission.requests) {
    if (admitted.kind !== 'admitted') continue;
    const { request, moved } = admitted;
    builder.append(bytesOf.decision(request, moved), request.atMs);
    if (request.redeems !== undefined) builder.append(bytesOf.redemption(request), request.atMs);
  }
  for (const report of reports) builder.append(report, report.atMs);
  return {
    segment: builder.finish(),
    results: (usedBefore) => resultsOf(admission, head.size, usedBefore),
  };
}

/** The outcome of each request. It needs no segment if nothing was admitted, because then nothing is written. */
export function resultsOf<Request extends Buildable>(
  admission: Pick<AdmittedGroup<Request>, 'requests'>,
  firstIndex: number,
  usedBefore: (account: Account) => number,
): readonly RequestResult[] {
  let next = firstIndex;
  return admission.requests.map((admitted): RequestResult => {
    if (admitted.kind !== 'admitted' && admitted.kind !== 'over') return admitted;
    const used = usedBefore(admitted.account) + admitted.rank;
    if (admitted.kind === 'over') return { kind: 'quota_exceeded', used };
    const { request, moved } = admitted;
    const leafIndex = next;
    // A redemption follows its decision.
    next += request.redeems === undefined ? 1 : 2;
    return {
      kind: 'committed',
      leafIndex,
      used,
      ...(moved !== null && { limits: foundIn(moved) }),
    };
  });
}

/** The part of the moved limits that the caller's thread needs. */
function foundIn({ states, held }: MovedLimits): FoundLimits {
  return { states, held };
}
