/**
 * The trail of changes that caches in every process follow: announced immediately, and polled a few times a second.
 */
import { ChangeListeners } from '../change-listeners.ts';
import type { Change, Store } from '../port.ts';
import { type ChangeRow, changeOf } from '../rows.ts';
import type { Noted } from '../tables/operation.ts';
import { isPooled } from './connect.ts';
import { LastingConnection, type Query, queryOn } from './connection.ts';

/** A watcher that is further behind than this drops everything it cached. */
const CHANGES_KEPT = 1_000;
const CHANNEL = 'writecheck_change';
const LOOK_EVERY_MS = 200;
/** A poll that takes longer counts as failed: a cached entry must not outlive a second. */
const LOOK_WITHIN_MS = 400;

/** Comes last in its transaction: from here to its end every other change waits. */
export async function noteChanges(query: Query, changes: readonly Omit<Noted, 'kind'>[]): Promise<void> {
  if (changes.length === 0) return;
  for (const { change, workspace, subject } of changes) {
    await query(
      `WITH next AS (UPDATE writecheck.change_count SET newest = newest + 1 RETURNING newest)
       INSERT INTO writecheck.change SELECT newest, $1, $2, $3 FROM next`,
      [change, workspace, subject],
    );
  }
  await query(
    'DELETE FROM writecheck.change WHERE number <= (SELECT newest - $1 FROM writecheck.change_count)',
    [CHANGES_KEPT],
  );
  await query('SELECT pg_notify($1, $2)', [CHANNEL, '']);
}

/** The newest number, beside each unseen change; alone if there is none. */
type Trail = { readonly newest: number } & (ChangeRow | { readonly number: null });

export class ChangeWatcher {
  readonly #connection: LastingConnection;
  readonly #listeners = new ChangeListeners();
  readonly #timer: NodeJS.Timeout;
  #seen: number;
  #isLooking = false;
  #isAskedAgain = false;
  #isNewConnection = false;
  #isLost = false;
  #isStopped = false;

  /** `seen` is the number of the newest change when the store was opened. */
  constructor(url: string, seen: number) {
    this.#seen = seen;
    this.#connection = new LastingConnection(url, async (client) => {
      client.on('notification', () => this.#look());
      // Through a pooler, notifications would reach another client.
      if (!isPooled(url)) await client.query(`LISTEN ${CHANNEL}`);
      this.#isNewConnection = true;
    });
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
    this.#look();
  }

  get watch(): Store['watch'] {
    return this.#listeners.watch;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#connection.close();
  }

  #look(): void {
    if (this.#isLooking) {
      this.#isAskedAgain = true;
      return;
    }
    this.#isLooking = true;
    const atMs = performance.now();
    const overdue = setTimeout(() => this.#lose(), LOOK_WITHIN_MS);
    overdue.unref();
    this.#read()
      .then(
        (changes) => {
          // INVARIANT: after the trail was unreachable, nothing cached before is trusted.
          this.#tell(this.#isLost ? [{ kind: 'everything' }] : changes, atMs);
          this.#isLost = false;
        },
        () => this.#lose(),
      )
      .finally(() => {
        clearTimeout(overdue);
        this.#isLooking = false;
        if (this.#isAskedAgain && !this.#isStopped) {
          this.#isAskedAgain = false;
          this.#look();
        }
      });
  }

  #lose(): void {
    this.#isLost = true;
    this.#connection.drop();
    this.#tell([{ kind: 'everything' }], performance.now());
  }

  #tell(changes: readonly Change[], atMs: number): void {
    if (!this.#isStopped) this.#listeners.tell(changes, atMs);
  }

  async #read(): Promise<readonly Change[]> {
    const query = queryOn(await this.#connection.get());
    const isNewConnection = this.#isNewConnection;
    this.#isNewConnection = false;
    const rows = await query<Trail>(
      `SELECT newest, change.* FROM writecheck.change_count LEFT JOIN writecheck.change ON number > $1
       ORDER BY number`,
      [this.#seen],
    );
    const { newest } = rows[0]!;
    // INVARIANT: another connection may lead to a database that lost its newest changes, in a failover or a restore.
    // It then reuses numbers that were given before, so they prove nothing.
    if (isNewConnection || newest < this.#seen) {
      this.#seen = newest;
      return [{ kind: 'everything' }];
    }
    const changes = rows.filter((row): row is ChangeRow & Trail => row.number !== null);
    if (changes.length === 0) return [];
    const isComplete = changes[0]!.number === this.#seen + 1;
    this.#seen = changes.at(-1)!.number;
    return isComplete ? changes.map(changeOf) : [{ kind: 'everything' }];
  }
}
