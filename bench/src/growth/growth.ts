/**
 * `npm run bench -- growth [N]`: what an operator meets on a store of N decisions (10 million if omitted), on SQLite
 * and on PostgreSQL. `BENCH_STORES=postgres` runs one of them, `BENCH_GROUP` sets how many decisions share a commit,
 * `BENCH_FOLDER` names a folder with room for a kilobyte and a half for each decision. A run that is too long for one
 * sitting continues where it was in `BENCH_DATABASE_URL` with the folder `BENCH_DATA`, if both are given.
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Store } from '@writecheck/store/port';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { erase } from '../../../packages/store/test/erase.ts';
import { onServer, startTestServer } from '../../../packages/store/test/test-postgres.ts';
import { median, type Row } from '../report.ts';
import { benchBody, prepare } from '../service.ts';
import { startService } from '../service-processes.ts';
import { ASKED, makeHistory } from './make-history.ts';
import { FINDS_NOTHING, LISTS, timeExport, timeList } from './measure-store.ts';
import { signLog, writeToPostgres, writeToSqlite } from './write-history.ts';

const GROUP = Number(process.env.BENCH_GROUP ?? 64);
const BYTES_A_DECISION = 1_500;
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const STARTS = 3;

interface Place {
  readonly name: string;
  readonly environment: Record<string, string>;
  open(): Promise<Store>;
  write(log: string, segments: ReturnType<typeof makeHistory>): void | Promise<void>;
  /** What is on disk, once more in words. */
  sizes(): Promise<string>;
}

async function timed<T>(what: string, work: () => T | Promise<T>): Promise<{ value: T; seconds: number }> {
  const startedMs = performance.now();
  const value = await work();
  const seconds = (performance.now() - startedMs) / 1_000;
  console.log(`${what}: ${seconds.toFixed(1)} s`);
  return { value, seconds };
}

function row(
  measure: string,
  value: number,
  bar: number,
  goal: number,
  better: Row['better'] = 'lower',
): Row {
  return { measure, value, bar, goal, better };
}

/** Creates the workspace and its first decision, unless an earlier run did. */
async function madeOwnerKey(place: Place, data: string): Promise<string> {
  const file = join(data, 'bench-owner-key');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const empty = await startService({ ...place.environment, WRITECHECK_DATA: data });
  const body = JSON.stringify({ ...JSON.parse(benchBody()), ...ASKED });
  await prepare(empty, body);
  await empty.stop();
  writeFileSync(file, empty.ownerKey);
  return empty.ownerKey;
}

async function measure(place: Place, data: string, decisions: number): Promise<readonly Row[]> {
  const { name } = place;
  const ownerKey = await madeOwnerKey(place, data);

  let store = await place.open();
  const [head] = await store.logs();
  const [segment] = await store.segments(head!.log, 0, 1);
  const { record, leaf } = segment!.entries[0]!;
  const { workspace } = JSON.parse(Buffer.from(leaf).toString()) as { readonly workspace: string };
  await store.close();
  const firstMs = Date.parse(JSON.parse(Buffer.from(leaf).toString()).timestamp);
  const toMs = firstMs - DAY_MS;
  const history = {
    head: head!,
    workspace,
    record,
    leaf,
    decisions,
    group: GROUP,
    done: head!.size - 1,
    fromMs: toMs - YEAR_MS,
    toMs,
  };
  await timed(`${name}: ${decisions} decisions written`, () => place.write(head!.log, makeHistory(history)));
  store = await place.open();
  await signLog(store, data);
  const filled = await timed(`${name}: search index filled`, () =>
    store.listDecisions({ workspace, limit: 1 }),
  );
  const exported = await timeExport(store, workspace, 'a note');
  console.log(`${name}: ${Math.round(exported)} exported a second; ${await place.sizes()}`);
  await store.close();

  const starts: number[] = [];
  const rows: Row[] = [];
  for (let i = 0; i < STARTS; i += 1) {
    const service = await startService({ ...place.environment, WRITECHECK_DATA: data });
    starts.push(service.startMs / 1_000);
    if (i === 0) {
      for (const [questions, bar] of [
        [LISTS, 50],
        [FINDS_NOTHING, 50],
      ] as const) {
        for (const [question, query] of Object.entries(questions)) {
          const { p50Ms, p99Ms, found } = await timeList({ port: service.port, ownerKey }, query, decisions);
          console.log(
            `${name}: ${question}: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, ${found} found`,
          );
          rows.push(row(`${name}: ${question}, p99 ms`, p99Ms, bar, 10));
        }
      }
    }
    await service.stop();
  }

  store = await place.open();
  const tenth = history.fromMs + YEAR_MS / 10;
  const pruned = await timed(`${name}: a tenth pruned`, () => erase(store, { beforeMs: tenth }));
  console.log(`${name}: ${pruned.value} pruned`);
  const rebuilt =
    process.env.BENCH_REBUILD === '1'
      ? await timed(`${name}: index rebuilt`, () => store.rebuildIndex())
      : filled;
  console.log(`${name}: ${await place.sizes()}`);
  await store.close();
  return [
    row(`${name}: start, seconds`, median(starts), 2, 1),
    ...rows,
    row(`${name}: exported a second`, exported, 20_000, 40_000, 'higher'),
    row(`${name}: index rebuilt, decisions a second`, decisions / rebuilt.seconds, 1_000, 20_000, 'higher'),
    row(`${name}: pruned a second`, pruned.value / pruned.seconds, 1_000, 20_000, 'higher'),
  ];
}

async function onSqlite(folder: string, decisions: number): Promise<readonly Row[]> {
  const data = join(folder, 'sqlite');
  const place: Place = {
    name: 'SQLite',
    environment: {},
    open: () => openSqliteStore(data),
    write: (log, segments) => writeToSqlite(data, log, segments),
    sizes: async () => '',
  };
  try {
    return await measure(place, data, decisions);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

async function onPostgres(folder: string, decisions: number): Promise<readonly Row[]> {
  // As an operator would set a server of this size; the rest stays at its defaults.
  const flags = ['-c', 'shared_buffers=1GB', '-c', 'max_wal_size=2GB', '-c', 'maintenance_work_mem=256MB'];
  const { BENCH_DATABASE_URL: kept, BENCH_DATA: keptData } = process.env;
  const server = kept === undefined ? await startTestServer({ parent: folder, flags, isOwn: true }) : null;
  const url = kept ?? (await server!.newDatabase());
  const data = keptData ?? mkdtempSync(join(folder, 'data-'));
  const place: Place = {
    name: 'PostgreSQL',
    environment: { WRITECHECK_DATABASE_URL: url },
    // As the operator's commands do: without the time limits of requests.
    open: () => openPostgresStore(url, { isWriter: false }),
    write: (log, segments) => writeToPostgres(url, log, segments),
    sizes: () =>
      onServer(url, async (client) => {
        const { rows } = await client.query(
          `SELECT relname, pg_table_size(oid) AS data, pg_indexes_size(oid) AS indexes FROM pg_class
           WHERE relnamespace = 'writecheck'::regnamespace AND relkind = 'r' ORDER BY 2 DESC LIMIT 4`,
        );
        return rows
          .map((table) => `${table.relname} ${mb(table.data)} + indexes ${mb(table.indexes)} MB`)
          .join(', ');
      }),
  };
  try {
    return await measure(place, data, decisions);
  } finally {
    await server?.remove();
  }
}

function mb(bytes: string): number {
  return Math.round(Number(bytes) / 1e6);
}

export async function benchGrowth(decisions = 10_000_000): Promise<readonly Row[]> {
  const parent = process.env.BENCH_FOLDER ?? fileURLToPath(new URL('../../', import.meta.url));
  const folder = mkdtempSync(join(parent, '.data-'));
  chmodSync(folder, 0o755);
  const stores = (process.env.BENCH_STORES ?? 'sqlite,postgres').split(',');
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < decisions * BYTES_A_DECISION)
      throw new Error(`growth needs ${(decisions * BYTES_A_DECISION) / 1e9} GB of free disk in ${parent}`);
    const rows: Row[] = [];
    if (stores.includes('sqlite')) rows.push(...(await onSqlite(folder, decisions)));
    if (stores.includes('postgres')) rows.push(...(await onPostgres(folder, decisions)));
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
