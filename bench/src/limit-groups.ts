/** `npm run bench -- limit-groups`: what the counters of a million groups of one calendar month take in each store. */
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawsEndMs, drawsText, limitWindow, stepOf } from '@writecheck/contract';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import Database from 'better-sqlite3';
import pg from 'pg';
import { startTestServer } from '../../packages/store/test/test-postgres.ts';
import type { Row } from './report.ts';

const GROUPS = Number(process.env.BENCH_GROUPS ?? 1_000_000);
const TOGETHER = 10_000;
const MEGABYTE = 1_000_000;
const COUNTER = hash('sha256', 'a counter').slice(0, 24);

interface Drawn {
  readonly place: Buffer;
  readonly texts: string;
  readonly draws: string;
  readonly untilMs: number;
}

/** As commits write them, in the random order of digests. */
function* groups(): Generator<readonly Drawn[]> {
  const window = limitWindow('month')!;
  const draws = [[stepOf(window, Date.now()), 123_450_000n]] as const;
  const row = { draws: drawsText(draws), untilMs: drawsEndMs(window, draws) };
  for (let from = 0; from < GROUPS; from += TOGETHER) {
    yield Array.from({ length: Math.min(TOGETHER, GROUPS - from) }, (_, i) => {
      const texts = JSON.stringify([`C-${1_000_000 + from + i}`, 'EUR']);
      return { place: Buffer.from(COUNTER + hash('sha256', texts).slice(0, 32), 'hex'), texts, ...row };
    });
  }
}

async function megabytesInSqlite(): Promise<number> {
  const folder = mkdtempSync(fileURLToPath(new URL('../.data-', import.meta.url)));
  await (await openSqliteStore(folder)).close();
  const db = new Database(join(folder, 'writecheck.db'));
  // The size is the same, and nothing is measured by the clock.
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -300000');
  const pages = (): number => db.pragma('page_count', { simple: true }) as number;
  const before = pages();
  const insert = db.prepare('INSERT INTO limit_draws (place, texts, draws, until_ms) VALUES (?, ?, ?, ?)');
  for (const some of groups())
    db.transaction(() => {
      for (const { place, texts, draws, untilMs } of some) insert.run(place, texts, draws, untilMs);
    })();
  const bytes = (pages() - before) * (db.pragma('page_size', { simple: true }) as number);
  db.close();
  rmSync(folder, { recursive: true });
  return bytes / MEGABYTE;
}

async function megabytesInPostgres(): Promise<number> {
  const server = await startTestServer();
  const url = await server.newDatabase();
  await (await openPostgresStore(url)).close();
  const client = new pg.Client(url);
  await client.connect();
  for (const some of groups())
    await client.query(
      `INSERT INTO writecheck.limit_draws (place, texts, draws, until_ms)
       SELECT * FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bigint[])`,
      [
        some.map(({ place }) => place),
        some.map(({ texts }) => texts),
        some.map(({ draws }) => draws),
        some.map(({ untilMs }) => untilMs),
      ],
    );
  const sized = await client.query(
    "SELECT pg_total_relation_size('writecheck.limit_draws')::float8 AS bytes",
  );
  await client.end();
  await server.remove();
  return sized.rows[0].bytes / MEGABYTE;
}

export async function benchLimitGroups(): Promise<readonly Row[]> {
  const row = (store: string, value: number): Row => ({
    measure: `${GROUPS} groups of a calendar month on ${store}, MB`,
    value,
    bar: 200,
    goal: 150,
    better: 'lower',
  });
  return [row('SQLite', await megabytesInSqlite()), row('PostgreSQL', await megabytesInPostgres())];
}
