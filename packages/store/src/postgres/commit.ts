/**
 * One group commit in PostgreSQL. It plans its writes from known state, and `commit` checks all of that
 * again as it writes, in the transaction of its caller.
 */
import { leafBytes, recordBytes } from '@writecheck/ledger/log';
import { type Account, type AdmittedGroup, accountKey, admit, type Known } from '../commit/admit.ts';
import { type BytesOf, buildCommit, type RequestResult } from '../commit/build-commit.ts';
import { movedRecord } from '../commit/moved-record.ts';
import { outcomeEntry, redemptionEntry } from '../commit/new-entries.ts';
import {
  type BuiltSegment,
  type Head,
  type NewEntry,
  NO_RECORD,
  segmentOf,
} from '../commit/segment-builder.ts';
import { bytesOfRequest } from '../commit/stored-bytes.ts';
import type { MovedLimits } from '../port/limits.ts';
import type { NewOutcome, OutcomeRecorded } from '../port/outcomes.ts';
import type { CommitRequest } from '../port.ts';
import { textDigest } from '../sha256.ts';
import { judgeOutcomes } from '../tables/outcomes.ts';
import { callOf } from './call-function.ts';
import { chargedAccounts, commitArguments, type StoredBeside } from './commit-arguments.ts';
import type { Query } from './connection.ts';
import { lockDraws, writeDraws } from './lock-draws.ts';
import type { HeldLog } from './log-lease.ts';
import { readUnlocked } from './look-up.ts';
import { runStatements } from './run-operation.ts';

/** This writer no longer holds the log at that size. */
export const MOVED = Symbol('moved');
/** An assumption was wrong: look up the state, and try again. */
export const CHANGED = Symbol('changed');

/** The result of an attempt to append. INVARIANT: an unwritten attempt leaves nothing behind. */
export type Attempt<Value> = Appended<Value> | Unwritten;
type Unwritten = typeof MOVED | typeof CHANGED;

export interface Appended<Value> {
  readonly value: Value;
  /** The head of the log once the transaction is committed; null if nothing was appended. */
  readonly next: Head | null;
}

export interface Group {
  readonly requests: readonly CommitRequest[];
  readonly outcomes: readonly NewOutcome[];
  /** The counters that the requests draw on. */
  readonly places: ReadonlyMap<string, string>;
}

interface GroupResults {
  readonly results: readonly RequestResult[];
  readonly recorded: readonly OutcomeRecorded[];
}

interface CommitRow {
  readonly status: 'done' | 'moved' | 'changed';
  readonly used: readonly number[];
}

/** The first attempt assumes no conflict, which is almost always true and saves a round trip. */
const NOTHING_KNOWN: Known = {
  used: () => 0,
  stored: () => 0,
  answer: () => undefined,
  basis: () => ({ ended: null, freezeNumber: null, running: null, storesAtMost: null }),
  isConsumed: () => false,
  isRevoked: () => false,
  draws: readUnlocked,
};

/**
 * It takes several statements if there are outcomes or counters, otherwise one. `known` is null in the first
 * attempt.
 */
export async function commitGroup(
  query: Query,
  log: HeldLog,
  { requests, outcomes, places }: Group,
  known: Known | null,
  storesAtMost: number | null,
): Promise<Attempt<GroupResults>> {
  // Reported outcomes come first, because their rows are locked before any log everywhere.
  const { recorded, reported, entries } = await recordOutcomes(query, log, outcomes);
  const draws = places.size === 0 ? readUnlocked : await lockDraws(query, log, places);
  if (draws === null) return MOVED;
  const candidates = requests.map((request) => ({ ...request, storedBytes: bytesOfRequest(request) }));
  const admission = admit(candidates, { ...(known ?? NOTHING_KNOWN), draws });
  if (known === null && isRefusedUnseen(admission)) return CHANGED;
  const { segment, results } = buildCommit(log, admission, bytesFor(log.log), entries);
  // INVARIANT: anything used up, kept or revoked stays so, and nothing is written: no lock is needed.
  if (segment.entries.length === 0)
    return { value: { results: results(({ usedBefore }) => usedBefore), recorded }, next: null };
  await writeDraws(query, admission);
  const { status, used } = await write(query, log, segment, admission, { outcomes: reported, storesAtMost });
  if (status !== 'done') return status === 'moved' ? MOVED : CHANGED;
  return { value: { results: results(usedBefore(admission, used)), recorded }, next: segment.next };
}

/** Appends entries that are not decisions. */
export async function appendEntries(
  query: Query,
  log: HeldLog,
  entries: readonly NewEntry[],
): Promise<Head | typeof MOVED> {
  const segment = segmentOf(log, entries);
  const { status } = await write(query, log, segment, NOTHING_ADMITTED, NOTHING_STORED);
  return status === 'done' ? segment.next : MOVED;
}

const NOTHING_ADMITTED = admit([], NOTHING_KNOWN);
const NOTHING_STORED = { outcomes: [], storesAtMost: null };

async function write(
  query: Query,
  log: HeldLog,
  segment: BuiltSegment,
  admission: AdmittedGroup<unknown>,
  stored: StoredBeside,
): Promise<CommitRow> {
  const { text, values } = callOf('commit', commitArguments(log, segment, admission, stored));
  const [row] = await query<CommitRow>(text, values);
  return row!;
}

async function recordOutcomes(query: Query, { log }: HeldLog, outcomes: readonly NewOutcome[]) {
  if (outcomes.length === 0) return { recorded: [], reported: [], entries: [] };
  const { recorded, changed } = (await runStatements(query, {}, judgeOutcomes(outcomes))).result;
  const reported = outcomes.filter((outcome) => changed.has(outcome));
  return { recorded, reported, entries: reported.map((outcome) => outcomeEntry(log, outcome)) };
}

/** If this group adds nothing to an account, nothing says how much of it was used. */
function isRefusedUnseen({ requests }: AdmittedGroup<unknown>): boolean {
  return requests.some((request) => request.kind === 'over' && request.account.charged === 0);
}

/** Uses the result of `commit`, because the known use of an account may be outdated or assumed. */
function usedBefore(admission: AdmittedGroup<unknown>, used: readonly number[]) {
  const after = new Map(chargedAccounts(admission).map((account, i) => [accountKey(account), used[i]!]));
  return (account: Account): number => {
    const found = after.get(accountKey(account));
    return found === undefined ? account.usedBefore : found - account.charged;
  };
}

function bytesFor(log: string): BytesOf<CommitRequest> {
  return {
    decision(request, moved) {
      const { workspace, keyKind, leaf } = request;
      const record = recordOf(request, moved);
      const recordDigest = textDigest(record);
      return { record, leaf: leafBytes({ ...leaf, log, workspace, keyKind, recordDigest }) };
    },
    redemption({ workspace, keyId, keyKind, atMs, redeems }) {
      const { leaf } = redemptionEntry(log, { ...redeems!, workspace, keyId, keyKind, atMs });
      return { record: NO_RECORD, leaf };
    },
  };
}

function recordOf({ record, limits }: CommitRequest, moved: MovedLimits | null): Uint8Array {
  const decided = recordBytes(record);
  return moved === null ? decided : movedRecord(decided, limits!, moved);
}
