/**
 * The one writer of this process: it appends to its log one commit at a time, and trusts nothing about it after a
 * failure. The commit, which names the writer and the size, makes it safe; the lease does not.
 */
import { hash } from 'node:crypto';
import { leafBytes, recordBytes } from '@writecheck/ledger/log';
import { type Account, type AdmittedGroup, accountKey, admit, type Known } from '../commit/admit.ts';
import {
  type BytesOf,
  buildCommit,
  type RequestResult,
  resultsOf,
  type TimedEntry,
} from '../commit/build-commit.ts';
import { committedRequest } from '../commit/committed.ts';
import { isLate } from '../commit/lateness.ts';
import { movedRecord } from '../commit/moved-record.ts';
import { outcomeEntry, redemptionEntry } from '../commit/new-entries.ts';
import { type BuiltSegment, type Head, NO_RECORD, segmentOf } from '../commit/segment-builder.ts';
import { encodeSegment, type SegmentEntry } from '../log/segment.ts';
import type { CommittedTogether } from '../port/decisions.ts';
import type { MovedLimits } from '../port/limits.ts';
import type { NewOutcome, OutcomeRecorded } from '../port/outcomes.ts';
import type { CommitEntry, CommitRequest } from '../port.ts';
import { type Append, Undone } from '../tables/operation.ts';
import { judgeOutcomes } from '../tables/outcomes.ts';
import { callOf, type FunctionCall } from './call-function.ts';
import { noteChanges } from './changes.ts';
import { chargedAccounts, commitArguments, placeArguments } from './commit-arguments.ts';
import { isPooled, notePooled } from './connect.ts';
import { attemptOn, beginText, LastingConnection, type Query, queryOn } from './connection.ts';
import type { KnownHeads } from './known-heads.ts';
import { lockDraws, placesOf, writeDraws } from './lock-draws.ts';
import { type HeldLog, LogLease } from './log-lease.ts';
import { lookUp, readUnlocked } from './look-up.ts';
import { isRefusedBy, toUnavailable, unavailable } from './postgres-failure.ts';
import { ATTEMPTS_MAX, runStatements } from './run-operation.ts';

const TAKEN_MEANWHILE = 'WC001';
const DEADLOCK = '40P01';
const SERIALIZATION = '40001';
const NO_SUCH_STATEMENT = '26000';
const STATEMENT_EXISTS = '42P05';
const NOT_READ_COMMITTED = 'WC006';
/** Then the server has undone the commit, and it may be tried again. */
const UNDONE_BY = [TAKEN_MEANWHILE, DEADLOCK, SERIALIZATION];

interface CommitRow {
  readonly status: string;
  readonly used: readonly number[];
}

/** `next` is the head of the log once it is committed; null if nothing was appended. */
interface Done {
  readonly results: readonly RequestResult[];
  readonly next: Head | null;
  readonly recorded: readonly OutcomeRecorded[];
}
type Unwritten = 'moved' | 'changed';

/** The first attempt assumes no conflict, which is almost always true and saves a round trip. */
const NOTHING_KNOWN: Known = {
  used: () => 0,
  answer: () => undefined,
  isKeyRevoked: () => false,
  isConsumed: () => false,
  isRevoked: () => false,
  running: () => null,
  draws: readUnlocked,
  freezeNumber: () => null,
};

export class LogWriter {
  readonly #url: string;
  readonly #connection: LastingConnection;
  readonly #lease: LogLease;
  #turn: Promise<unknown> = Promise.resolve();
  /** Whether each commit must say that its statements read anew. */
  #isToldToRead = false;

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

  commit(requests: readonly CommitRequest[], outcomes: readonly NewOutcome[]): Promise<CommittedTogether> {
    return this.#exclusive(async () => {
      const places = placesOf(requests);
      let known = NOTHING_KNOWN;
      for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
        const log = await this.#lease.held();
        if (isLate(requests, log.newestMs)) throw unavailable('timeout', new Error('waited too long'));
        const written =
          places.size + outcomes.length === 0
            ? await this.#write(log, requests, known, (call) => this.#call(call, UNDONE_BY))
            : await this.#writeTogether(log, requests, known, places, outcomes);
        if (written === 'moved') {
          this.#lease.forget();
          continue;
        }
        if (written !== 'changed') {
          const { results, next, recorded } = written;
          // INVARIANT: only after the commit. Until then nobody else sees the head, and it would count as lost.
          if (next !== null) this.#lease.moveTo(log, next);
          return {
            decided: results.map((result, i) => committedRequest(result, requests[i]!, log.log)),
            recorded,
          };
        }
        known = await lookUp(queryOn(await this.#connection.get()), requests);
      }
      throw unavailable('busy', new Error('other processes were faster every time'));
    });
  }

  /**
   * In one transaction that holds the counters from reading to writing: whoever draws on one of them waits, and nobody
   * is overtaken again and again. Reported outcomes come first, since their rows are locked before any log everywhere.
   */
  async #writeTogether(
    log: HeldLog,
    requests: readonly CommitRequest[],
    known: Known,
    places: ReadonlyMap<string, string>,
    outcomes: readonly NewOutcome[],
  ): Promise<Done | Unwritten> {
    const client = await this.#connection.get();
    const done = await attemptOn(client, beginText(this.#url), async (query) => {
      const judged = await runStatements(query, {}, judgeOutcomes(outcomes));
      const { recorded, changed } = judged.result;
      const entries = outcomes
        .filter((outcome) => changed.has(outcome))
        .map((outcome) => outcomeEntry(log.log, outcome));
      const draws = places.size === 0 ? known.draws : await lockDraws(query, log, places);
      if (draws === null) throw new Undone('moved');
      const isFirst = known === NOTHING_KNOWN;
      const written = await this.#write(
        log,
        requests,
        { ...known, draws },
        async (call, admission) => {
          await writeDraws(query, admission);
          const [row] = await query<CommitRow>(call.text, call.values).catch((thrown) => {
            throw isRefusedBy(thrown, ...UNDONE_BY) ? new Undone('changed') : thrown;
          });
          return row!;
        },
        isFirst,
        entries,
      );
      // Then nothing was written, or must not be.
      if (written === 'moved' || written === 'changed') throw new Undone(written);
      const { results, next } = written;
      if (entries.length === 0 || next !== null) return { results, next, recorded };
      const segment = segmentOf(log, entries);
      if (!(await appendSegment(query, log, segment))) throw new Undone('moved');
      return { results, next: segment.next, recorded };
    });
    if (done.kind === 'overtaken') return 'changed';
    return done.kind === 'undone' ? (done.outcome as Unwritten) : done.value;
  }

  async #write(
    log: HeldLog,
    requests: readonly CommitRequest[],
    known: Known,
    call: (call: FunctionCall, admission: AdmittedGroup<CommitEntry>) => Promise<CommitRow | null>,
    isFirst = known === NOTHING_KNOWN,
    reports: readonly TimedEntry[] = [],
  ): Promise<Done | Unwritten> {
    const admission = admit(requests, known);
    if (isFirst && isRefusedUnseen(admission)) return 'changed';
    // INVARIANT: what was used up, kept or revoked stays so, and nothing is written: no lock is needed.
    if (admission.admitted === 0)
      return {
        results: resultsOf(requests, admission, log.size, ({ usedBefore }) => usedBefore, null),
        next: null,
        recorded: [],
      };
    const built = buildCommit(log, requests, admission, bytesFor(log.log), reports);
    const row = await call(callOf('commit_v1', commitArguments(log, built.segment, admission)), admission);
    if (row === null || row.status === 'changed') return 'changed';
    if (row.status === 'moved') return 'moved';
    const used = new Map(chargedAccounts(admission).map((account, i) => [accountKey(account), row.used[i]!]));
    const results = built.results((account: Account) => {
      const after = used.get(accountKey(account));
      return after === undefined ? account.usedBefore : after - account.charged;
    });
    return { results, next: built.segment.next, recorded: [] };
  }

  /**
   * Runs an operation that may append, all in one transaction on the connection that holds the log; again if the log
   * has moved or another process was faster.
   */
  perform<Result>(start: () => Append<Result>): Promise<Result> {
    return this.#exclusive(async () => {
      for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
        const log = await this.#lease.held();
        const client = await this.#connection.get();
        const done = await attemptOn(client, beginText(this.#url), async (query) => {
          const { result, entries, changes } = await runStatements(query, { log: log.log }, start());
          const segment = entries.length === 0 ? null : segmentOf(log, entries);
          if (segment !== null && !(await appendSegment(query, log, segment))) throw new Undone(MOVED);
          await noteChanges(query, changes);
          return { result, segment };
        });
        if (done.kind === 'overtaken') continue;
        if (done.kind === 'done') {
          if (done.value.segment !== null) this.#lease.moveTo(log, done.value.segment.next);
          return done.value.result;
        }
        if (done.outcome !== MOVED) return done.outcome as Result;
        this.#lease.forget();
      }
      throw unavailable('busy', new Error('other processes were faster every time'));
    });
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

  /**
   * Null if the server undid the statement for one of these reasons; it may then be retried. A server that isolates
   * more by default is told in a transaction of its own not to.
   */
  async #call<Row>(call: FunctionCall, undoneBy: readonly string[]): Promise<Row | null> {
    const client = await this.#connection.get();
    const { name, ...unnamed } = call;
    const isNamed = !isPooled(this.#url);
    if (this.#isToldToRead) {
      const done = await attemptOn(client, beginText(this.#url), async (query) => {
        try {
          return await query<Row>(call.text, call.values);
        } catch (thrown) {
          throw isRefusedBy(thrown, ...undoneBy) ? new Undone(null) : thrown;
        }
      });
      return done.kind === 'done' ? done.value[0]! : null;
    }
    try {
      return (await client.query(isNamed ? call : unnamed)).rows[0] as Row;
    } catch (thrown) {
      if (isRefusedBy(thrown, ...undoneBy)) return null;
      if (isRefusedBy(thrown, NOT_READ_COMMITTED)) {
        this.#isToldToRead = true;
        return this.#call(call, undoneBy);
      }
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
function isRefusedUnseen({ requests }: AdmittedGroup<unknown>): boolean {
  return requests.some(
    (request) =>
      request.kind === 'done' &&
      request.entries.some(({ kind, account }) => kind === 'over' && account.charged === 0),
  );
}

function bytesFor(log: string): BytesOf<CommitEntry> {
  return {
    decision: (request, entry, moved) => decisionBytes(log, request, entry, moved),
    redemption({ workspace, keyId, keyKind }, { atMs, redeems }) {
      const { leaf } = redemptionEntry(log, { ...redeems!, workspace, keyId, keyKind, atMs });
      return { record: NO_RECORD, leaf };
    },
  };
}

function decisionBytes(
  log: string,
  { workspace, keyKind }: Pick<CommitRequest, 'workspace' | 'keyKind'>,
  entry: CommitEntry,
  moved: MovedLimits | null,
): SegmentEntry {
  const decided = recordBytes(entry.record);
  const record = moved === null ? decided : movedRecord(decided, entry.limits!, moved);
  const recordDigest = `sha256:${hash('sha256', record)}`;
  return { record, leaf: leafBytes({ ...entry.leaf, log, workspace, keyKind, recordDigest }) };
}

/** The outcome of an attempt that found the log not to be this writer's at that size any more. */
const MOVED = Symbol('moved');

/** INVARIANT: the same check as `commit_v1` makes, under the same lock. False if the log has moved. */
async function appendSegment(query: Query, log: HeldLog, segment: BuiltSegment): Promise<boolean> {
  const { p_writer, p_size, ...place } = placeArguments(log, segment);
  const args = {
    ...place,
    p_count: segment.entries.length,
    p_oldest_ms: segment.oldestMs,
    p_latest_ms: segment.latestMs,
    p_leaf_hashes: segment.leafHashes,
    p_body: encodeSegment(segment.entries),
    p_knows_freezes: true,
  };
  const named = Object.keys(args).map((name, i) => `${name} => $${i + 1}`);
  const values = Object.values(args);
  const place1 = values.length + 1;
  const appended = await query(
    `SELECT writecheck.append_v1(${named.join(', ')}) FROM (SELECT 1 FROM writecheck.log
       WHERE number = $1 AND writer = $${place1} AND size = $${place1 + 1} AND is_open FOR NO KEY UPDATE) AS held`,
    [...values, p_writer, p_size],
  );
  return appended.length === 1;
}
