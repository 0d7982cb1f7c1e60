/** The store on a PostgreSQL database, which any number of processes may share; each appends to its own log. */
import { randomBytes } from 'node:crypto';
import { AppendGuard } from '../append-guard.ts';
import { assembleStore } from '../assemble-store.ts';
import { ChangeWatcher } from '../change-watcher.ts';
import { countDecisions, listDecisions, usageByDay } from '../index/search-decisions.ts';
import type { KnownSize, Store } from '../port.ts';
import { logs } from '../tables/log.ts';
import type { Read, Write } from '../tables/operation.ts';
import { WorkerCall } from '../threads/thread-calls.ts';
import { SETTLED } from './call-function.ts';
import { WatchedTrail } from './changes.ts';
import { openPool } from './connection.ts';
import { prepareContinueLogs } from './continue-logs.ts';
import { databaseFigures } from './figures.ts';
import { prepareFindDecision } from './find-decision.ts';
import { KnownHeads, REPORT_LOST } from './known-heads.ts';
import { LogWriter } from './log-writer.ts';
import { toUnavailable, unavailable } from './postgres-failure.ts';
import { prepareDatabase } from './prepare-database.ts';
import { readsOn, runRead, runWrite } from './run-operation.ts';
import { indexWords, openAllows } from './search-decisions.ts';
import { unindex } from './search-index.ts';

interface PostgresStoreOptions {
  /** Names a log that has to be created. */
  readonly newLog?: () => string;
  /** False for a visitor, which takes no log of its own until it has something to append. */
  readonly isWriter?: boolean;
  /** The bytes a day of a workspace that has ceilings; null if none has. */
  readonly storesAtMost?: number | null;
}

/** Opens (and on first use creates) the store in this database. Rejects with `StoreUnavailable`. */
export async function openPostgresStore(
  url: string,
  {
    newLog = () => `log-${randomBytes(8).toString('hex')}`,
    isWriter = true,
    storesAtMost = null,
  }: PostgresStoreOptions = {},
): Promise<Store> {
  const newestChange = await prepareDatabase(url);
  const pool = openPool(url, !isWriter);
  const heads = new KnownHeads();
  const writer = new LogWriter(url, heads, newLog, storesAtMost);
  let firstOpenLog: string | undefined;
  try {
    if (!isWriter) firstOpenLog = (await runRead(pool.query, logs())).find(({ isOpen }) => isOpen)?.log;
    if (firstOpenLog === undefined) await writer.probe();
    // A visitor to an empty database creates the first log, for the first writer to use.
    if (!isWriter) await writer.release();
  } catch (thrown) {
    await Promise.all([pool.close(), writer.close()]);
    throw toUnavailable(thrown);
  }
  const trail = new WatchedTrail(url, newestChange, () => watcher.look());
  const watcher = new ChangeWatcher(trail);
  watcher.look();
  const indexer = new WorkerCall({
    name: './index-thread',
    from: import.meta.url,
    data: { url, isPatient: !isWriter },
    unavailable,
    isLasting: isWriter,
  });
  const guard = new AppendGuard();
  const store = assembleStore({
    logPlace: { kind: 'postgres', url },
    read: readsOn(pool.query),
    write: (_, start) => runWrite(pool, storesAtMost, start as () => Write<unknown>),
    append: (_, start) => writer.perform(start),
    guard,
    indexer,
    unindex: (found, reviews) => unindex(pool, found, reviews),
    paced: (step) => step(),
    probe: () => writer.probe(),
    toUnavailable,
  });
  /** Includes what was committed before the call. */
  const search = async <Found>(operation: Read<Found>): Promise<Found> => {
    await indexer.call('catchUpSoon');
    return runRead(pool.query, operation);
  };
  return {
    ...store,
    get log() {
      // INVARIANT: one of the two exists since the store was opened.
      return (writer.log ?? firstOpenLog)!;
    },
    commit: (requests, reports) => guard.run(() => writer.commit(requests, reports)),
    // INVARIANT: a kept allow is given again only if a failover would not lose it.
    async findAnswer(...asked) {
      const found = await store.findAnswer(...asked);
      if (found !== null) await pool.query(SETTLED);
      return found;
    },
    findDecision: prepareFindDecision(pool.query),
    listDecisions: (query) => search(listDecisions(query, indexWords(query.workspace))),
    openAllows: (...asked) => search(openAllows(...asked)),
    usageByDay: (...asked) => search(usageByDay(...asked)),
    countDecisions: (...asked) => search(countDecisions(...asked)),
    continueLogs: prepareContinueLogs(pool),
    lostEntries: () =>
      pool.query<KnownSize>(
        'SELECT log, size FROM writecheck.lost_entries WHERE restored_ms IS NULL ORDER BY log, size',
      ),
    reportLost: async ({ log, size }) => void (await pool.query(REPORT_LOST, [log, size])),
    async heldUntilMs() {
      const [row] = await pool.query<{ readonly until_ms: number | null }>(
        `SELECT floor(extract(epoch FROM max(leased_until)) * 1000)::bigint AS until_ms FROM writecheck.log
         WHERE is_open AND leased_until > clock_timestamp()`,
      );
      return row!.until_ms;
    },
    async look() {
      try {
        const rows = await heads.compare(pool.query);
        const newest = rows.filter(({ is_open }) => is_open).map(({ newest_ms }) => newest_ms);
        return { newestAtMs: Math.max(0, ...newest), clockMs: rows[0]?.clock_ms ?? null };
      } catch (thrown) {
        heads.doubt();
        throw toUnavailable(thrown);
      }
    },
    figures: () => databaseFigures(pool.query),
    watch: watcher.watch,
    async close() {
      watcher.stop();
      await Promise.all([trail.close(), indexer.close(), writer.close(), pool.close()]);
    },
  };
}
