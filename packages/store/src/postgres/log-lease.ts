/** The log this process appends to: claimed when first needed, held by a lease, and handed back at the end. */
import { randomBytes } from 'node:crypto';
import type { Head } from '../commit/segment-builder.ts';
import { type LastingConnection, queryOn } from './connection.ts';
import type { KnownHeads, LogRow } from './known-heads.ts';
import { unavailable } from './postgres-failure.ts';

/** Another process may take over a log after this long without a sign of its writer. */
const LEASE = '10 seconds';
const RENEW_EVERY_MS = 3_000;

/** A log as this process last saw it, and the name under which it holds it. */
export interface HeldLog extends Head {
  readonly number: number;
  readonly writer: string;
  readonly lease: string;
}

export class LogLease {
  readonly #connection: LastingConnection;
  readonly #newLog: () => string;
  readonly #renew: () => void;
  readonly #heads: KnownHeads;
  readonly #writer = randomBytes(8).toString('hex');
  #held: HeldLog | null = null;
  /** The last log it held, by which others know it. */
  #last: { readonly number: number; readonly log: string } | null = null;
  #renewing: NodeJS.Timeout | null = null;

  /** `renew` is called now and then while a log may be held, and must call `renewed`. */
  constructor(connection: LastingConnection, heads: KnownHeads, newLog: () => string, renew: () => void) {
    this.#connection = connection;
    this.#heads = heads;
    this.#newLog = newLog;
    this.#renew = renew;
  }

  /** Null until a log is claimed. */
  get log(): string | null {
    return this.#last?.log ?? null;
  }

  /** The log to append to; claims one if none is held. */
  async held(): Promise<HeldLog> {
    this.#heads.requireNothingLost();
    if (this.#held !== null) return this.#held;
    const query = queryOn(await this.#connection.get());
    // Compared also over an old connection: a proxy may lead it to another server.
    await this.#heads.compare(query);
    if (this.#last !== null) {
      const [mine] = await query<{ is_open: boolean }>(
        'SELECT is_open FROM writecheck.log WHERE number = $1',
        [this.#last.number],
      );
      // The log was continued elsewhere, so a process that does not know this must not append to it.
      if (mine?.is_open !== true) throw unavailable('replaced');
    }
    const [row] = await query<LogRow>('SELECT * FROM writecheck.claim_log($1, $2, $3)', [
      this.#writer,
      this.#newLog(),
      LEASE,
    ]);
    const { number, log, size, frontier, newest_ms: newestMs } = row!;
    this.#last = { number, log };
    this.#held = { number, log, size, frontier, newestMs, writer: this.#writer, lease: LEASE };
    if (this.#renewing === null) {
      this.#renewing = setInterval(this.#renew, RENEW_EVERY_MS);
      this.#renewing.unref();
    }
    return this.#held;
  }

  /** Called after an append, which renews the lease too. */
  moveTo(log: HeldLog, next: Head): void {
    this.#held = { ...log, ...next };
    this.#heads.learn(next);
  }

  /** The log may have grown or changed hands: the next use reads it again. */
  forget(): void {
    this.#held = null;
    this.#heads.doubt();
  }

  /** Makes sure that there is a log to append to, and that appending would succeed. */
  async renewed(): Promise<void> {
    const { number } = await this.held();
    const renewed = await (await this.#connection.get()).query(
      `UPDATE writecheck.log SET leased_until = clock_timestamp() + $3::interval
       WHERE number = $1 AND writer = $2 AND is_open`,
      [number, this.#writer, LEASE],
    );
    if (renewed.rowCount === 0) this.forget();
  }

  stopRenewing(): void {
    if (this.#renewing !== null) clearInterval(this.#renewing);
    this.#renewing = null;
  }

  /** Hands the log back; the next use claims one again. */
  async release(): Promise<void> {
    if (this.#held === null) return;
    const { number } = this.#held;
    this.forget();
    // The next process to start continues this log immediately. If the database is unreachable, the lease runs out.
    const text = "UPDATE writecheck.log SET leased_until = '-infinity' WHERE number = $1 AND writer = $2";
    await this.#connection
      .get()
      .then((client) => client.query(text, [number, this.#writer]))
      .catch(() => undefined);
  }
}
