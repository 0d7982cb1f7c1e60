/**
 * The one writer of this process: it appends to its log one commit at a time, and trusts nothing about it after a
 * failure. The commit, which names the writer and the size, makes it safe; the lease does not.
 */
import { hash } from 'node:crypto';
import { leafBytes, recordBytes } from '@writecheck/ledger';
import { type Account, type Admission, accountKey, admit, type Known } from '../commit/admit.ts';
import { buildCommit, type RequestResult, resultsOf } from '../commit/build-commit.ts';
import { committedRequest } from '../commit/committed.ts';
import { isLate } from '../commit/lateness.ts';
import { notedEntries, personEntries, redemptionEntry, reviewEntries } from '../commit/new-entries.ts';
import { type BuiltSegment, type NewEntry, SegmentBuilder } from '../commit/segment-builder.ts';
import type { FinishedRun } from '../port/impact.ts';
import type { ChangePersonOutcome, PersonChange } from '../port/people.ts';
import type { ChangeReviewsOutcome, OpenLimits, PersonVersion, ReviewChange } from '../port/reviews.ts';
import type { CommitEntry, CommitRequest, RedeemOutcome, Redemption, RequestOutcome } from '../port.ts';
import type { SegmentEntry } from '../segment.ts';
import { callOf, type FunctionCall } from './call-function.ts';
import { chargedAccounts, commitArguments } from './commit-arguments.ts';
import { isPooled, notePooled } from './connect.ts';
import { LastingConnection, queryOn } from './connection.ts';
import { finishRunArguments } from './impact-runs.ts';
import type { KnownHeads } from './known-heads.ts';
import { type HeldLog, LogLease } from './log-lease.ts';
import { lookUp } from './look-up.ts';
import { changePersonArguments, changePersonOutcome } from './people-writes.ts';
import { isRefusedBy, toUnavailable, unavailable } from './postgres-failure.ts';
import { redeemArguments, redeemOutcome } from './redemption-writes.ts';
import { changeReviewsCall, changeReviewsOutcome, OUTCOME_RAISED } from './review-writes.ts';

/** Each further attempt means that another process was faster, which cannot continue for long. */
const ATTEMPTS_MAX = 50;

const TAKEN_MEANWHILE = 'WC001';
const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';
const SERIALIZATION = '40001';
const NO_SUCH_STATEMENT = '26000';
const STATEMENT_EXISTS = '42P05';

/** The first attempt assumes no conflict, which is almost always true and saves a round trip. */
const NOTHING_KNOWN: Known = {
  used: () => 0,
  answer: () => undefined,
  isConsumed: () => false,
  isRevoked: () => false,
};

interface Appending {
  /** The status which says that the entries are in the log. */
  readonly appends: string;
  readonly entries: (log: string) => readonly NewEntry[];
  readonly call: (log: HeldLog, segment: BuiltSegment) => FunctionCall;
}

export class LogWriter {
  readonly #url: string;
  readonly #connection: LastingConnection;
  readonly #lease: LogLease;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(url: string, heads: KnownHeads, newLog: () => string) {
    this.#url = url;
    // INVARIANT: a new connection may lead to another server, so it is compared before anything is appended over it.
    this.#connection = new LastingConnection(url, async (client) => {
      heads.doubt();
      await heads.compare(queryOn(client));
    });
    const renew = () => void this.probe().catch(() => undefined);
    this.#lease = new LogLease(this.#connection, heads, newLog, renew);
  }

  /** Null until a log is claimed. */
  get log(): string | null {
    return this.#lease.log;
  }

  /** Makes sure that there is a log to append to, and that appending would succeed. */
  probe(): Promise<void> {
    return this.#exclusive(() => this.#lease.renewed());
  }

  commit(requests: readonly CommitRequest[]): Promise<readonly RequestOutcome[]> {
    return this.#exclusive(async () => {
      let known = NOTHING_KNOWN;
      for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
        const log = await this.#lease.held();
        if (isLate(requests, log.newestMs)) throw unavailable('timeout', new Error('waited too long'));
        const admission = admit(requests, known);
        if (known !== NOTHING_KNOWN || !isRefusedUnseen(admission)) {
          const written = await this.#write(log, requests, admission);
          if (written === 'moved') continue;
          if (written !== 'changed')
            return written.map((result, i) => committedRequest(result, requests[i]!, log.log));
        }
        known = await lookUp(queryOn(await this.#connection.get()), requests);
      }
      throw unavailable('busy', new Error('other processes were faster every time'));
    });
  }

  async #write(
    log: HeldLog,
    requests: readonly CommitRequest[],
    admission: Admission<CommitEntry>,
  ): Promise<readonly RequestResult[] | 'moved' | 'changed'> {
    // INVARIANT: what was used up, kept or revoked stays so, and nothing is written: no lock is needed.
    if (admission.admitted === 0)
      return resultsOf(requests, admission, log.size, ({ usedBefore }) => usedBefore, null);
    const built = buildCommit(log, requests, admission, (request, entry) =>
      decisionBytes(log.log, request, entry),
    );
    const row = await this.#call<{ readonly status: string; readonly used: readonly number[] }>(
      callOf('commit_v1', commitArguments(log, built.segment, admission)),
      [TAKEN_MEANWHILE, DEADLOCK, SERIALIZATION],
    );
    if (row === null || row.status === 'changed') return 'changed';
    if (row.status === 'moved') {
      this.#lease.forget();
      return 'moved';
    }
    this.#lease.moveTo(log, built.segment.next);
    const used = new Map(chargedAccounts(admission).map((account, i) => [accountKey(account), row.used[i]!]));
    return built.results((account: Account) => {
      const after = used.get(accountKey(account));
      return after === undefined ? account.usedBefore : after - account.charged;
    });
  }

  async redeem(redemption: Redemption): Promise<RedeemOutcome> {
    const row = await this.#append<{ readonly status: string; readonly redeemed_ms: number | null }>({
      appends: 'redeemed',
      entries: (log) => [redemptionEntry(log, redemption)],
      call: (log, segment) => callOf('redeem_v2', redeemArguments(log, segment, redemption)),
    });
    return redeemOutcome(row.status as RedeemOutcome['kind'], row.redeemed_ms ?? 0);
  }

  async changeReviews(
    changes: readonly ReviewChange[],
    limits: OpenLimits | undefined,
    people: readonly PersonVersion[] = [],
  ): Promise<ChangeReviewsOutcome> {
    if (changes.length === 0) return { kind: 'changed' };
    const { status } = await this.#append({
      appends: 'changed',
      entries: (log) => reviewEntries(log, changes),
      call: (log, segment) => changeReviewsCall(log, segment, changes, limits, people),
    });
    return changeReviewsOutcome(status);
  }

  async changePerson(change: PersonChange): Promise<ChangePersonOutcome> {
    const { status } = await this.#append({
      appends: 'changed',
      entries: (log) => personEntries(log, change),
      call: (log, segment) => callOf('change_person_v2', changePersonArguments(log, segment, change)),
    });
    return changePersonOutcome(status);
  }

  async finishRun(finished: FinishedRun): Promise<boolean> {
    const { status } = await this.#append({
      appends: 'finished',
      entries: (log) => notedEntries(log, finished.entries),
      call: (log, segment) => callOf('finish_run_v1', finishRunArguments(log, segment, finished)),
    });
    return status === 'finished';
  }

  /**
   * Appends entries that are not decisions, with everything else that one statement writes; again if the log has
   * moved.
   */
  #append<Row extends { readonly status: string }>({ appends, entries, call }: Appending): Promise<Row> {
    return this.#exclusive(async () => {
      for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
        const log = await this.#lease.held();
        const builder = new SegmentBuilder(log);
        for (const { leaf, atMs } of entries(log.log)) builder.append({ record: NO_RECORD, leaf }, atMs);
        const segment = builder.finish();
        const row = await this.#callRaising<Row>(call(log, segment));
        if (row?.status === 'moved') this.#lease.forget();
        if (row === null || row.status === 'moved') continue;
        if (row.status === appends) this.#lease.moveTo(log, segment.next);
        return row;
      }
      throw unavailable('busy', new Error('other processes were faster every time'));
    });
  }

  /** A function may raise its outcome, so that the server undoes whatever it had written. */
  async #callRaising<Row>(call: FunctionCall): Promise<Row | null> {
    try {
      return await this.#call<Row>(call, [UNIQUE_VIOLATION, TAKEN_MEANWHILE, DEADLOCK, SERIALIZATION]);
    } catch (thrown) {
      if (!isRefusedBy(thrown, OUTCOME_RAISED)) throw thrown;
      return { status: (thrown as Error).message } as Row;
    }
  }

  /** Hands the log back; the next commit claims one again. */
  async release(): Promise<void> {
    this.#lease.stopRenewing();
    await this.#turn;
    await this.#lease.release();
  }

  async close(): Promise<void> {
    await this.release();
    await this.#connection.close();
  }

  /** Null if the server undid the statement for one of these reasons; it may then be retried. */
  async #call<Row>(call: FunctionCall, undoneBy: readonly string[]): Promise<Row | null> {
    const client = await this.#connection.get();
    const { name, ...unnamed } = call;
    const isNamed = !isPooled(this.#url);
    try {
      return (await client.query(isNamed ? call : unnamed)).rows[0] as Row;
    } catch (thrown) {
      if (isRefusedBy(thrown, ...undoneBy)) return null;
      // A pooler led to a connection that does not know the statement, or knows it from another process. The server
      // has run nothing of it.
      if (isNamed && isRefusedBy(thrown, NO_SUCH_STATEMENT, STATEMENT_EXISTS)) {
        notePooled(this.#url);
        return this.#call(call, undoneBy);
      }
      throw thrown;
    }
  }

  /** One at a time, in order. INVARIANT: after any failure the log is read again over another connection. */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work).catch((thrown) => {
      this.#lease.forget();
      this.#connection.drop();
      throw toUnavailable(thrown);
    });
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}

/** Nobody knows how much of an account was used if this group adds nothing to it. */
function isRefusedUnseen({ requests }: Admission<unknown>): boolean {
  return requests.some(
    (request) =>
      request.kind === 'done' &&
      request.entries.some(({ kind, account }) => kind === 'over' && account.charged === 0),
  );
}

function decisionBytes(
  log: string,
  { workspace, keyKind }: Pick<CommitRequest, 'workspace' | 'keyKind'>,
  entry: CommitEntry,
): SegmentEntry {
  const record = recordBytes(entry.record);
  const recordDigest = `sha256:${hash('sha256', record)}`;
  return { record, leaf: leafBytes({ ...entry.leaf, log, workspace, keyKind, recordDigest }) };
}

const NO_RECORD = new Uint8Array(0);
