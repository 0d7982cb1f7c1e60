/** Builds the segment of an admitted group, and reports the outcome of each request. */

import type { SegmentEntry } from '../log/segment.ts';
import type { CommitEntryResult, Committed, FoundLimits, Inclusion } from '../port/commit.ts';
import type { MovedLimits } from '../port/limits.ts';
import type { Account, Admissible, AdmittedGroup, Candidate, Refused } from './admit.ts';
import { type BuiltSegment, type Head, SegmentBuilder } from './segment-builder.ts';

/** Final only after the sync; `committed` then turns it into the proof. */
export type EntryResult =
  | Pick<Committed, 'kind' | 'leafIndex' | 'used' | 'inclusion' | 'limits'>
  | Exclude<CommitEntryResult, Committed>;

export type RequestResult = { readonly kind: 'done'; readonly entries: readonly EntryResult[] } | Refused;

export interface TimedEntry extends SegmentEntry {
  readonly atMs: number;
}

interface BuiltCommit {
  readonly segment: BuiltSegment;
  /** One for each request, in order, given how much of each account was used before this commit. */
  results(usedBefore: (account: Account) => number): readonly RequestResult[];
}

/** Returns stored bytes. Called for admitted entries only, in order. */
export interface BytesOf<Entry extends Admissible> {
  decision(request: Candidate<Entry>, entry: Entry, moved: MovedLimits | null): SegmentEntry;
  /** Called for an entry that is redeemed together with its decision. */
  redemption(request: Candidate<Entry>, entry: Entry): SegmentEntry;
}

/** `reports` are the entries of outcomes, which come after the decisions. */
export function buildCommit<Entry extends Admissible>(
  head: Head,
  requests: readonly Candidate<Entry>[],
  admission: Pick<AdmittedGroup<Entry>, 'requests'>,
  bytesOf: BytesOf<Entry>,
  reports: readonly TimedEntry[],
): BuiltCommit {
  const isProven = requests.some(({ proven }) => proven);
  const builder = new SegmentBuilder(head, isProven);
  for (const [i, admitted] of admission.requests.entries()) {
    if (admitted.kind !== 'done') continue;
    for (const outcome of admitted.entries) {
      if (outcome.kind !== 'admitted') continue;
      const { atMs, redeems } = outcome.entry;
      builder.append(bytesOf.decision(requests[i]!, outcome.entry, outcome.moved), atMs);
      if (redeems !== undefined) builder.append(bytesOf.redemption(requests[i]!, outcome.entry), atMs);
    }
  }
  for (const report of reports) builder.append(report, report.atMs);
  return {
    segment: builder.finish(),
    results: (usedBefore) =>
      resultsOf(requests, admission, head.size, usedBefore, isProven ? builder.prover() : null),
  };
}

/** The outcome of each request. It needs no segment if nothing was admitted, because then nothing is written. */
export function resultsOf<Entry extends Admissible>(
  requests: readonly Candidate<Entry>[],
  admission: Pick<AdmittedGroup<Entry>, 'requests'>,
  firstIndex: number,
  usedBefore: (account: Account) => number,
  inclusionOf: ((leafIndex: number) => Inclusion) | null,
): readonly RequestResult[] {
  let next = firstIndex;
  return admission.requests.map((admitted, i): RequestResult => {
    if (admitted.kind !== 'done') return admitted;
    const prove = requests[i]!.proven ? inclusionOf : null;
    const entries = admitted.entries.map((outcome): EntryResult => {
      const used = usedBefore(outcome.account) + outcome.rank;
      if (outcome.kind === 'over') return { kind: 'quota_exceeded', used, limit: outcome.limit };
      const leafIndex = next;
      // A redemption follows its decision.
      next += outcome.entry.redeems === undefined ? 1 : 2;
      return {
        kind: 'committed',
        leafIndex,
        used,
        ...(prove !== null && { inclusion: prove(leafIndex) }),
        ...(outcome.moved !== null && { limits: foundIn(outcome.moved) }),
      };
    });
    return { kind: 'done', entries };
  });
}

/** The part of the moved limits that the caller's thread needs. */
function foundIn({ states, held }: MovedLimits): FoundLimits {
  return { states, held };
}
