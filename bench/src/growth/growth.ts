/**
 * `npm run bench -- growth [N]`: what an operator meets on a store of N decisions (10 million if omitted), on SQLite
 * and on PostgreSQL. `BENCH_STORES=postgres` runs one of them, `BENCH_GROUP` sets how many decisions share a commit,
 * `BENCH_FOLDER` names a folder with room for a kilobyte and a half for each decision. A run that is too long for one
 * sitting continues where it was in the folder `BENCH_DATA`, on PostgreSQL with `BENCH_DATABASE_URL`.
 */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DAY_MS } from '@writecheck/contract';
import type { Store } from '@writecheck/store/port';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import { erase } from '../../../packages/store/test/erase.ts';
import { onServer, startTestServer } from '../../../packages/store/test/test-postgres.ts';
import { firstDecision } from '../fill-log.ts';
import { atLeast, atMost, median, type Row } from '../report.ts';
import { benchBody, prepare } from '../service.ts';
import { startService } from '../service-processes.ts';
import { ASKED, makeHistory } from './make-history.ts';
import { FINDS_NOTHING, LISTS, timeExport, timeList, verifySince } from './measure-store.ts';
import {
  forgetInPostgres,
  forgetInSqlite,
  signLog,
  writeToPostgres,
  writeToSqlite,
} from './write-history.ts';

const GROUP = Number(process.env.BENCH_GROUP ?? 64);
const BYTES_A_DECISION = 1_500;
const YEAR_MS = 365 * DAY_MS;
const STARTS = 3;

interface Place {
  readonly name: string;
  readonly environment: Record<string, string>;
  open(): Promise<Store>;
  forget(): void | Promise<void>;
  write(log: string, segments: ReturnType<typeof makeHistory>): void | Promise<void>;
  /** A description of the sizes on disk. */
  sizes(): Promise<string>;
}

/** Also measures the processor time of this process, because the machine may have other work. */
async function timed<T>(what: string, work: () => T | Promise<T>): Promise<{ value: T; seconds: number }> {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  const value = await work();
  const seconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(before);
  console.log(`${what}: ${seconds.toFixed(1)} s, processors ${((user + system) / 1e6).toFixed(1)} s`);
  return { value, seconds };
}

interface Beginning {
  readonly ownerKey: string;
  readonly record: string;
  readonly leaf: string;
}

/** Creates the workspace and lets the service make the decision that all others copy, unless an earlier run did. */
async function begun(place: Place, data: string): Promise<Beginning> {
  const file = join(data, 'bench-beginning');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const empty = await startService({ ...place.environment, WRITECHECK_DATA: data });
  await prepare(empty, JSON.stringify({ ...JSON.parse(benchBody()), ...ASKED }));
  await empty.stop();
  const store = await place.open();
  const { record, leaf } = await firstDecision(store);
  await store.close();
  await place.forget();
  const texts = { record: Buffer.from(record).toString(), leaf: Buffer.from(leaf).toString() };
  const beginning = { ownerKey: empty.ownerKey, ...texts };
  writeFileSync(file, JSON.stringify(beginning));
  return beginning;
}

/** Writes the year, and the signed note of the day before its last. */
async function write(place: Place, data: string, decisions: number, beginning: Beginning): Promise<string> {
  const { workspace, timestamp } = JSON.parse(beginning.leaf);
  const toMs = Date.parse(timestamp) - DAY_MS;
  const texts = { record: Buffer.from(beginning.record), leaf: Buffer.from(beginning.leaf) };
  const times = { fromMs: toMs - YEAR_MS, toMs };
  let note = '';
  for (const until of [decisions - Math.ceil(decisions / 365), decisions]) {
    const before = await place.open();
    const [head] = await before.logs();
    if (until === decisions) note = await signLog(before, data);
    await before.close();
    const span = { decisions, done: head!.size, until, group: GROUP };
    await place.write(head!.log, makeHistory({ head: head!, workspace, ...texts, ...span, ...times }));
  }
  return note;
}

async function measure(place: Place, data: string, decisions: number): Promise<readonly Row[]> {
  const { name } = place;
  const beginning = await begun(place, data);
  const { workspace, timestamp } = JSON.parse(beginning.leaf);
  const written = await timed(`${name}: ${decisions} decisions written`, () =>
    write(place, data, decisions, beginning),
  );
  let store = await place.open();
  await signLog(store, data);
  const filled = await timed(`${name}: search index filled`, () => store.rebuildIndex());
  const exported = await timeExport(store, workspace, 'a note');
  console.log(`${name}: ${Math.round(exported)} exported a second; ${await place.sizes()}`);
  await store.close();

  const starts: number[] = [];
  const rows: Row[] = [];
  for (let i = 0; i < STARTS; i += 1) {
    const service = await startService({ ...place.environment, WRITECHECK_DATA: data });
    starts.push(service.startMs / 1_000);
    const { port } = service;
    if (i === 0) {
      for (const [question, query] of Object.entries({ ...LISTS, ...FINDS_NOTHING })) {
        const asked = await timeList({ port, ownerKey: beginning.ownerKey }, query, decisions);
        const [p50, p99] = [asked.p50Ms.toFixed(1), asked.p99Ms.toFixed(1)];
        console.log(`${name}: ${question}: p50 ${p50} ms, p99 ${p99} ms, ${asked.found} found`);
        rows.push(atMost(`${name}: ${question}, p99 ms`, asked.p99Ms, 50, 10));
      }
      const night = await timed(`${name}: a day exported and verified`, () =>
        verifySince({ port, ownerKey: beginning.ownerKey }, data, written.value),
      );
      console.log(`${name}: ${night.value}`);
      rows.push(atMost(`${name}: nightly verify, seconds`, night.seconds, 600, 60));
    }
    await service.stop();
  }
  console.log(`${name}: starts ${starts.map((seconds) => seconds.toFixed(2)).join(', ')} s`);

  store = await place.open();
  const tenths = (count: number): number => Date.parse(timestamp) - DAY_MS - YEAR_MS + (count * YEAR_MS) / 10;
  const pruned = await timed(`${name}: a tenth pruned`, () => erase(store, { beforeMs: tenths(1) }));
  console.log(`${name}: ${pruned.value} pruned; ${await place.sizes()}`);
  await store.close();
  return [
    atMost(`${name}: start, seconds`, median(starts), 2, 1),
    ...rows,
    atLeast(`${name}: exported a second`, exported, 20_000, 40_000),
    atLeast(`${name}: index filled, decisions a second`, decisions / filled.seconds, 1_000, 20_000),
    atLeast(`${name}: pruned a second`, pruned.value / pruned.seconds, 1_000, 20_000),
  ];
}

async function onSqlite(folder: string, decisions: number): Promise<readonly Row[]> {
  const data = process.env.BENCH_DATA ?? join(folder, 'sqlite');
  const place: Place = {
    name: 'SQLite',
    environment: {},
    open: () => openSqliteStore(data),
    forget: () => forgetInSqlite(data),
    write: (log, segments) => writeToSqlite(data, log, segments),
    sizes: async () =>
      ['writecheck.db', 'search.db']
        .map((file) => `${file} ${mb(statSync(join(data, file)).size)} MB`)
        .join(', '),
  };
  try {
    return await measure(place, data, decisions);
  } finally {
    if (process.env.BENCH_DATA === undefined) rmSync(data, { recursive: true, force: true });
  }
}

async function onPostgres(folder: string, decisions: number): Promise<readonly Row[]> {
  // As an operator would configure a server of this size; everything else has its default.
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
    forget: () => forgetInPostgres(url, data),
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

function mb(bytes: string | number): number {
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
