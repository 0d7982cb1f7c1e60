/**
 * The trail of changes that caches in every process follow: announced immediately, and polled a few times a second.
 */
import type { Trail } from '../change-watcher.ts';
import type { Change } from '../port.ts';
import { CHANGES_KEPT, type ChangeRow, changeOf } from '../rows.ts';
import type { Noted } from '../tables/operation.ts';
import { isPooled } from './connect.ts';
import { LastingConnection, type Query, queryOn } from './connection.ts';

const CHANNEL = 'writecheck_change';

/** Call it last in a transaction: every other change waits from here to its end. */
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
type TrailRow = { readonly newest: number } & (ChangeRow | { readonly number: null });

/** The trail as it is read over a connection of its own, which notifications reach too. */
export class WatchedTrail implements Trail {
  readonly #connection: LastingConnection;
  #seen: number;
  #isNewConnection = false;

  /** `seen` is the number of the newest change when the store was opened. `heard` is called for every notification. */
  constructor(url: string, seen: number, heard: () => void) {
    this.#seen = seen;
    this.#connection = new LastingConnection(url, async (client) => {
      client.on('notification', heard);
      // A pooler would deliver notifications to another client.
      if (!isPooled(url)) await client.query(`LISTEN ${CHANNEL}`);
      this.#isNewConnection = true;
    });
  }

  lose(): void {
    this.#connection.drop();
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async read(): Promise<readonly Change[]> {
    const query = queryOn(await this.#connection.get());
    const isNewConnection = this.#isNewConnection;
    this.#isNewConnection = false;
    const rows = await query<TrailRow>(
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
    const changes = rows.filter((row): row is ChangeRow & TrailRow => row.number !== null);
    if (changes.length === 0) return [];
    const isComplete = changes[0]!.number === this.#seen + 1;
    this.#seen = changes.at(-1)!.number;
    return isComplete ? changes.map(changeOf) : [{ kind: 'everything' }];
  }
}
