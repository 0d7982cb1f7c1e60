/** The trail of changes that caches in every process follow: told at once, and looked at a few times a second. */
import { ChangeListeners } from '../change-listeners.ts';
import type { Change, Store } from '../port.ts';
import { LastingConnection, type Query, queryOn } from './connection.ts';

/** A watcher that is further behind than this forgets everything it cached. */
const CHANGES_KEPT = 1_000;
const CHANNEL = 'writecheck_change';
const LOOK_EVERY_MS = 200;
/** A look that takes longer counts as failed: what is cached must not outlive a second. */
const LOOK_WITHIN_MS = 400;

/** Last in its transaction: from here to its end every other change waits. */
export const noteChange = async (
  query: Query,
  kind: 'key' | 'policy',
  workspace: string,
  subject: string,
): Promise<void> => {
  await query(
    `WITH next AS (UPDATE writecheck.change_count SET newest = newest + 1 RETURNING newest)
     INSERT INTO writecheck.change SELECT newest, $1, $2, $3 FROM next`,
    [kind, workspace, subject],
  );
  await query(
    'DELETE FROM writecheck.change WHERE number <= (SELECT newest - $1 FROM writecheck.change_count)',
    [CHANGES_KEPT],
  );
  await query('SELECT pg_notify($1, $2)', [CHANNEL, '']);
};

interface ChangeRow {
  readonly number: number;
  readonly kind: 'key' | 'policy';
  readonly workspace: string;
  readonly subject: string;
}

const changeOf = ({ kind, workspace, subject }: ChangeRow): Change =>
  kind === 'key' ? { kind, workspace, keyId: subject } : { kind, workspace };

export class ChangeWatcher {
  readonly #connection: LastingConnection;
  readonly #listeners = new ChangeListeners();
  readonly #timer: NodeJS.Timeout;
  #seen: number;
  #isLooking = false;
  #isAskedAgain = false;
  #isLost = false;
  #isStopped = false;

  /** `seen` is the number of the newest change when the store was opened. */
  constructor(url: string, seen: number) {
    this.#seen = seen;
    this.#connection = new LastingConnection(url, async (client) => {
      client.on('notification', () => this.#look());
      await client.query(`LISTEN ${CHANNEL}`);
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
          // INVARIANT: after the trail was out of sight, nothing that was cached before is trusted.
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
    const rows = await query<ChangeRow>('SELECT * FROM writecheck.change WHERE number > $1 ORDER BY number', [
      this.#seen,
    ]);
    const first = rows[0];
    if (first === undefined) return [];
    const isComplete = first.number === this.#seen + 1;
    this.#seen = rows.at(-1)!.number;
    return isComplete ? rows.map(changeOf) : [{ kind: 'everything' }];
  }
}
