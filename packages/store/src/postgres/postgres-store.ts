/** The store on a PostgreSQL database, which any number of processes may share; each appends to its own log. */
import { randomBytes } from 'node:crypto';
import { AppendGuard } from '../append-guard.ts';
import { Archive } from '../archive/archive.ts';
import { archiveLogs } from '../archive/write-archive.ts';
import { rebuildDraws } from '../index/rebuild-draws.ts';
import { rebuildIndex } from '../index/rebuild-index.ts';
import type { ArchivePlace } from '../port/archive.ts';
import type { NotableEntries } from '../port/webhooks.ts';
import type { Store } from '../port.ts';
import { eraseFound } from '../prune/erase-found.ts';
import { findPrunable } from '../prune/find-prunable.ts';
import { methodsOf, type Read, type Write } from '../tables/operation.ts';
import { APPENDING, READS, WRITES } from '../tables/operations.ts';
import { WorkerCall } from '../thread-calls.ts';
import { ChangeWatcher } from './changes.ts';
import { openPool } from './connection.ts';
import { prepareContinueLogs } from './continue-logs.ts';
import { databaseFigures } from './figures.ts';
import { KnownHeads } from './known-heads.ts';
import { openPostgresLog } from './log-reader.ts';
import { LogWriter } from './log-writer.ts';
import { prepareDatabase } from './migrate.ts';
import { toUnavailable, unavailable } from './postgres-failure.ts';
import { pruneLogs } from './prune-log.ts';
import { prepareReader } from './reader.ts';
import { prepareRecut } from './recut.ts';
import { runRead, runWrite } from './run-operation.ts';
import { countDecisions, listDecisions, openAllows, usageByDay } from './search-decisions.ts';
import { prepareSideWrites } from './side-tables.ts';

export interface PostgresStoreOptions {
  /** Names a log that has to be created. */
  readonly newLog?: () => string;
  /** False for a visitor, which takes no log of its own until it has something to append. */
  readonly isWriter?: boolean;
  readonly archive?: ArchivePlace | null;
}

/** Opens (and on first use creates) the store in this database. Rejects with `StoreUnavailable`. */
export async function openPostgresStore(
  url: string,
  {
    newLog = () => `log-${randomBytes(8).toString('hex')}`,
    isWriter = true,
    archive: place = null,
  }: PostgresStoreOptions = {},
): Promise<Store> {
  const newestChange = await prepareDatabase(url);
  const pool = openPool(url, !isWriter);
  const heads = new KnownHeads();
  const writer = new LogWriter(url, heads, newLog);
  const archive = new Archive(place);
  const reader = prepareReader(pool.query, archive);
  let firstOpenLog: string | undefined;
  try {
    if (!isWriter) firstOpenLog = (await reader.logs()).find(({ isOpen }) => isOpen)?.log;
    if (firstOpenLog === undefined) await writer.probe();
    // A visitor to an empty database creates the first log, for the first writer to use.
    if (!isWriter) await writer.release();
  } catch (thrown) {
    await Promise.all([pool.close(), writer.close()]);
    throw toUnavailable(thrown);
  }
  const watcher = new ChangeWatcher(url, newestChange);
  const indexer = new WorkerCall({
    name: './index-thread',
    from: import.meta.url,
    data: { url, isPatient: !isWriter, archive: place },
    unavailable,
    isLasting: isWriter,
  });
  const catchUp = () => indexer.call('catchUp');
  const catchUpSoon = () => indexer.call('catchUpSoon');
  const reads = methodsOf(READS, (_, start) => runRead(pool.query, start() as Read<unknown>));
  const rows = { ...reader, ...reads, recut: prepareRecut(pool) };
  const writes = methodsOf(WRITES, (_, start) => runWrite(pool, start as () => Write<unknown>));
  const sideWrites = prepareSideWrites(pool);
  const guard = new AppendGuard();
  const appending = methodsOf(APPENDING, (_, start) => guard.run(() => writer.perform(start)));

  return {
    ...reader,
    ...reads,
    ...writes,
    ...appending,
    guardAppending: (alarm) => guard.heed(alarm),
    ...sideWrites,
    async sweep(nowMs) {
      const answers = await sideWrites.sweepAnswers(nowMs);
      return answers + (await writes.sweepTables(nowMs, await reader.newestAtMs()));
    },
    notableEntries: (log, from, workspaces) =>
      indexer.call('notableEntries', log, from, workspaces) as Promise<NotableEntries>,
    logPlace: { kind: 'postgres', url, archive: place },
    get log() {
      // INVARIANT: one of the two exists since the store was opened.
      return (writer.log ?? firstOpenLog)!;
    },
    commit: (requests) => guard.run(async () => (await writer.commit(requests, [])).decided),
    commitReporting: (requests, outcomes) => guard.run(() => writer.commit(requests, outcomes)),
    findAnswer: (...asked) => guard.run(() => reader.findAnswer(...asked)),
    async subtreeHashes(log, subtrees, isAnew) {
      try {
        return await reader.subtreeHashes(log, subtrees, isAnew);
      } catch (thrown) {
        throw toUnavailable(thrown);
      }
    },

    async listDecisions(query) {
      await catchUpSoon();
      return listDecisions(pool.query, query);
    },
    async openAllows(workspace, fromMs, atMs) {
      await catchUpSoon();
      return openAllows(pool.query, workspace, fromMs, atMs);
    },
    async usageByDay(workspace, period) {
      await catchUpSoon();
      return usageByDay(pool.query, workspace, period);
    },
    async countDecisions(workspace, fromMs, toMs, step) {
      await catchUpSoon();
      return countDecisions(pool.query, workspace, fromMs, toMs, step);
    },
    rebuildIndex: (progress) => rebuildIndex(indexer, progress),
    async rebuildDraws() {
      const newestMs = await reader.newestAtMs();
      const reading = openPostgresLog(url, place);
      try {
        return await rebuildDraws(reading, newestMs, appending.replaceDraws);
      } finally {
        await reading.close();
      }
    },
    findPrunable: (query, progress) => findPrunable(rows, query, progress),
    prune: (found, erasure, progress) =>
      eraseFound({ ...appending, ...writes }, found, erasure, async () => {
        await catchUp();
        return pruneLogs({ pool, logRows: rows, archive }, found, progress);
      }),
    async archive(beforeMs, progress) {
      // A rebuild of the index would have to fetch what it has not read yet.
      await catchUp();
      return archiveLogs(rows, archive, beforeMs, progress);
    },
    continueLogs: prepareContinueLogs(pool),
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
    async health() {
      try {
        await writer.probe();
        return { kind: 'ok' };
      } catch (thrown) {
        return { kind: 'failing', why: toUnavailable(thrown).message };
      }
    },
    async close() {
      await Promise.all([watcher.stop(), indexer.close(), writer.close(), pool.close()]);
    },
  };
}
