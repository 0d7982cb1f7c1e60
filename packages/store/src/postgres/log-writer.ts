/**
 * The one writer of this process: it appends to its log one commit at a time, and trusts nothing about it after a
 * failure. The commit, which names the writer and the size, makes it safe; the lease does not.
 */
import type { Known } from '../commit/admit.ts';
import { committedRequest } from '../commit/committed.ts';
import { isLate } from '../commit/lateness.ts';
import type { CommittedTogether } from '../port/decisions.ts';
import type { NewOutcome } from '../port/outcomes.ts';
import type { CommitRequest } from '../port.ts';
import { type Append, Undone } from '../tables/operation.ts';
import { preparedQueryOn, SETTLED } from './call-function.ts';
import { noteChanges } from './changes.ts';
import { type Attempt, appendEntries, CHANGED, commitGroup, MOVED } from './commit.ts';
import { isPooled, notePooled } from './connect.ts';
import { attemptOn, beginText, LastingConnection, type Query, queryOn } from './connection.ts';
import type { KnownHeads } from './known-heads.ts';
import { placesOf } from './lock-draws.ts';
import { type HeldLog, LogLease } from './log-lease.ts';
import { lookUp } from './look-up.ts';
import { isOvertaken, isRefusedBy, toUnavailable, unavailable } from './postgres-failure.ts';
import { ATTEMPTS_MAX, chargeBytes, runStatements } from './run-operation.ts';

const NO_SUCH_STATEMENT = '26000';
const STATEMENT_EXISTS = '42P05';
const NOT_READ_COMMITTED = 'WC006';

export class LogWriter {
  readonly #url: string;
  readonly #connection: LastingConnection;
  readonly #storesAtMost: number | null;
  readonly #lease: LogLease;
  /** Resolves when all earlier work of this writer is done. */
  #turn: Promise<unknown> = Promise.resolve();
  /**
   * Whether the server isolates more than a commit can use, so that each commit must begin a transaction with
   * less isolation.
   */
  #isIsolatedMore = false;

  constructor(url: string, heads: KnownHeads, newLog: () => string, storesAtMost: number | null) {
    this.#url = url;
    this.#storesAtMost = storesAtMost;
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
    const group = { requests, outcomes, places: placesOf(requests) };
    const isOneStatement = group.places.size + outcomes.length === 0;
    let known: Known | null = null;
    return this.#append(async (log) => {
      if (isLate(requests, log.newestMs)) throw unavailable('timeout', new Error('waited too long'));
      const work = (query: Query) => commitGroup(query, log, group, known, this.#storesAtMost);
      const attempt =
        isOneStatement && !this.#isIsolatedMore ? await this.#statement(work) : await this.#transaction(work);
      if (attempt === CHANGED)
        known = await lookUp(queryOn(await this.#connection.get()), requests, this.#storesAtMost);
      if (attempt === CHANGED || attempt === MOVED) return attempt;
      const { results, recorded } = attempt.value;
      // INVARIANT: a kept allow is given again only if a failover would not lose it.
      const isAnsweredAgain = attempt.next === null && results.some(({ kind }) => kind === 'twin');
      if (isAnsweredAgain) await queryOn(await this.#connection.get())(SETTLED);
      const decided = results.map((result, i) => committedRequest(result, requests[i]!, log.log));
      return { value: { decided, recorded }, next: attempt.next };
    });
  }

  /** Runs an operation that may append, all in one transaction on the connection that holds the log. */
  perform<Result>(start: () => Append<Result>): Promise<Result> {
    return this.#append((log) =>
      this.#transaction(async (query) => {
        const storesAtMost = this.#storesAtMost;
        const ending = await runStatements(query, { log: log.log, storesAtMost }, start());
        const { result, entries, changes, stored } = ending;
        const next = entries.length === 0 ? null : await appendEntries(query, log, entries);
        if (next === MOVED) return MOVED;
        if (stored !== null) await chargeBytes(query, stored, storesAtMost !== null);
        await noteChanges(query, changes);
        return { value: result, next };
      }),
    );
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

  /** Retries until this writer still held the log and no other process was faster. */
  #append<Value>(attemptOnce: (log: HeldLog) => Promise<Attempt<Value>>): Promise<Value> {
    return this.#exclusive(async () => {
      for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
        const log = await this.#lease.held();
        const attempt = await attemptOnce(log);
        if (attempt === MOVED) this.#lease.forget();
        if (attempt === MOVED || attempt === CHANGED) continue;
        // INVARIANT: only after the commit. Until then no other process sees the head, and it would count as
        // lost.
        if (attempt.next !== null) this.#lease.moveTo(log, attempt.next);
        return attempt.value;
      }
      throw unavailable('busy', new Error('other processes were faster every time'));
    });
  }

  /** Does work of one statement, which is its own transaction and takes one round trip. */
  async #statement<Value>(work: (query: Query) => Promise<Attempt<Value>>): Promise<Attempt<Value>> {
    const client = await this.#connection.get();
    const isPrepared = !isPooled(this.#url);
    try {
      return await work(isPrepared ? preparedQueryOn(client) : queryOn(client));
    } catch (thrown) {
      if (isRefusedBy(thrown, NOT_READ_COMMITTED)) this.#isIsolatedMore = true;
      // A pooler led to a connection that does not know the statement, or knows it from another process.
      else if (isPrepared && isRefusedBy(thrown, NO_SUCH_STATEMENT, STATEMENT_EXISTS)) notePooled(this.#url);
      else if (!isOvertaken(thrown)) throw thrown;
      // The server itself refused, so it has run nothing.
      return CHANGED;
    }
  }

  /**
   * Does work of several statements. It holds its locks from reading to writing, so that others wait for it and
   * nobody is overtaken repeatedly.
   */
  async #transaction<Value>(work: (query: Query) => Promise<Attempt<Value>>): Promise<Attempt<Value>> {
    const client = await this.#connection.get();
    const done = await attemptOn(client, beginText(this.#url), async (query) => {
      const attempt = await work(query);
      if (attempt === MOVED || attempt === CHANGED) throw new Undone(attempt);
      return attempt;
    });
    if (done.kind === 'done') return done.value;
    if (done.kind === 'overtaken') return CHANGED;
    const { outcome } = done;
    return outcome === MOVED || outcome === CHANGED ? outcome : { value: outcome as Value, next: null };
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
