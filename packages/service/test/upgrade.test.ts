/**
 * A store of the previous schema is upgraded while others use it, and nothing that was acknowledged is lost.
 * @module-tag nightly
 */
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leafBytes, recordBytes } from '@writecheck/ledger';
import Database from 'better-sqlite3';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { NewWorkspace } from '../src/keys/create-workspace.ts';
import { makeFirstWorkspace, openStore } from '../src/open-store.ts';
import { admit } from '../src/store/commit/admit.ts';
import { buildCommit } from '../src/store/commit/build-commit.ts';
import type { Store } from '../src/store/port.ts';
import { callOf } from '../src/store/postgres/call-function.ts';
import { commitArguments } from '../src/store/postgres/commit-arguments.ts';
import type { HeldLog } from '../src/store/postgres/log-lease.ts';
import { MIGRATIONS as POSTGRES_MIGRATIONS } from '../src/store/postgres/schema.ts';
import { databasePath } from '../src/store/sqlite/open-database.ts';
import { MIGRATIONS as SQLITE_MIGRATIONS } from '../src/store/sqlite/schema.ts';
import { ALLOWED, ask } from './ask.ts';
import { freePort } from './postgres-process.ts';
import { startTestService } from './start-service.ts';
import { newRequest } from './store-contract/store-contract-values.ts';
import { onServer, startTestServer } from './test-postgres.ts';

const OLD_DECISIONS = 20;
const NEW_DECISIONS = 30;

interface History {
  readonly first: NewWorkspace;
  readonly decisions: readonly string[];
}

/** A workspace with decisions, made with today's schema. */
async function makeHistory(store: Store): Promise<History> {
  const first = (await makeFirstWorkspace(store, Date.now()))!;
  const decisions: string[] = [];
  for (let i = 0; i < OLD_DECISIONS; i += 1) {
    const request = newRequest(first.workspace.id);
    await store.commit([request]);
    decisions.push(request.entries[0]!.leaf.decision_id);
  }
  await store.close();
  return { first, decisions };
}

/** Sends checks from before the service is there until enough were decided; returns their ids. */
async function keepSending(url: string, key: string): Promise<readonly string[]> {
  const decided: string[] = [];
  while (decided.length < NEW_DECISIONS) {
    const reply = await ask(`${url}/v1/check-write`, { key, json: ALLOWED }).catch(() => null);
    if (reply === null) await new Promise((resolve) => setTimeout(resolve, 20));
    else {
      // Once it listens, it decides.
      expect(reply.status, reply.text).toBe(200);
      decided.push(reply.body.decision_id);
    }
  }
  return decided;
}

async function requireAll(store: Store, workspace: string, ids: readonly string[]): Promise<void> {
  const found = await Promise.all(ids.map((id) => store.findDecision(workspace, id)));
  expect(ids.filter((_, i) => found[i] === null)).toEqual([]);
}

/** Columns that only the newest schema has are left behind. */
function copySqlite(from: string, to: string): void {
  const db = new Database(databasePath(to));
  for (const migration of SQLITE_MIGRATIONS.slice(0, -1)) db.exec(migration);
  db.pragma(`user_version = ${SQLITE_MIGRATIONS.length - 1}`);
  db.pragma('foreign_keys = OFF');
  db.exec(`ATTACH '${databasePath(from)}' AS today`);
  const tables = db.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table'").pluck().all();
  const columnsOf = (schema: string, table: unknown) =>
    db.prepare(`SELECT name FROM pragma_table_info(?, '${schema}')`).pluck().all(table);
  for (const table of tables) {
    const today = new Set(columnsOf('today', table));
    const columns = columnsOf('main', table)
      .filter((name) => today.has(name))
      .join(', ');
    db.exec(`DELETE FROM main.${table}`);
    if (columns !== '')
      db.exec(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM today.${table}`);
  }
  db.close();
}

async function copyPostgres(from: string, to: string): Promise<void> {
  await onServer(to, async (client) => {
    await client.query(
      'CREATE SCHEMA writecheck; CREATE TABLE writecheck.migration (number integer PRIMARY KEY, done_at timestamptz NOT NULL DEFAULT now())',
    );
    for (const [at, migration] of POSTGRES_MIGRATIONS.slice(0, -1).entries()) {
      await client.query(migration);
      await client.query('INSERT INTO writecheck.migration (number) VALUES ($1)', [at + 1]);
    }
    await client.query('SET session_replication_role = replica');
    const columns = `SELECT c.relname AS "table", array_agg(a.attname::text ORDER BY a.attnum) AS columns
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = 'writecheck'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relname <> 'migration' GROUP BY c.relname`;
    const before = (await client.query(columns)).rows as { table: string; columns: string[] }[];
    const all = before.map(({ table }) => `writecheck.${table}`).join(', ');
    await client.query(`TRUNCATE ${all}`);
    await onServer(from, async (source) => {
      const today = new Map<string, readonly string[]>(
        (await source.query(columns)).rows.map((row) => [row.table, row.columns]),
      );
      for (const { table, columns: names } of before) {
        const shared = names.filter((name) => today.get(table)?.includes(name));
        if (shared.length === 0) continue;
        const { rows } = await source.query(`SELECT ${shared.join(', ')} FROM writecheck.${table}`);
        const places = shared.map((_, i) => `$${i + 1}`).join(', ');
        for (const row of rows)
          await client.query(
            `INSERT INTO writecheck.${table} (${shared.join(', ')}) OVERRIDING SYSTEM VALUE VALUES (${places})`,
            shared.map((name) => row[name]),
          );
      }
    });
  });
}

const NOTHING_KNOWN = {
  used: () => 0,
  answer: () => undefined,
  isConsumed: () => false,
  isRevoked: () => false,
};

/** A replica of the previous version: it calls the functions it knows, and nothing else. */
async function oldReplica(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const [writer, lease] = ['an old replica', '10 seconds'];
  const { rows } = await client.query('SELECT * FROM writecheck.claim_log_v1($1, $2, $3)', [
    writer,
    'log-old',
    lease,
  ]);
  const { number, log, size, frontier, newest_ms } = rows[0];
  const [at, newestMs] = [Number(size), Number(newest_ms)];
  let held: HeldLog = { number, log, size: at, frontier, newestMs, writer, lease };
  return {
    async commit(workspace: string): Promise<string> {
      const request = newRequest(workspace);
      const admission = admit([request], NOTHING_KNOWN);
      const built = buildCommit(held, [request], admission, ({ keyKind }, { leaf, record }) => {
        const bytes = recordBytes(record);
        const recordDigest = `sha256:${hash('sha256', bytes)}`;
        return { record: bytes, leaf: leafBytes({ ...leaf, log, workspace, keyKind, recordDigest }) };
      });
      const { text, values } = callOf('commit_v1', commitArguments(held, built.segment, admission));
      const done = await client.query(text, values);
      expect(done.rows[0].status).toBe('done');
      held = { ...held, ...built.segment.next };
      return request.entries[0]!.leaf.decision_id;
    },
    close: () => client.end(),
  };
}

test('SQLite: a client that keeps sending is served as soon as the upgraded service listens', async () => {
  const [today, before] = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'writecheck-upgrade-'))) as [
    string,
    string,
  ];
  onTestFinished(() => {
    for (const folder of [today, before]) rmSync(folder, { recursive: true });
  });
  const { first, decisions } = await makeHistory(await openStore({ data: today }));
  copySqlite(today, before);
  const port = await freePort();
  const sending = keepSending(`http://127.0.0.1:${port}`, first.developmentKey);
  const service = await startTestService({ folder: before, settings: { port: String(port) } });
  onTestFinished(() => service.stop());
  await requireAll(service.store, first.workspace.id, [...decisions, ...(await sending)]);
});

test('PostgreSQL: an old replica decides before, during and after the migration, beside the new one', async () => {
  const server = await startTestServer();
  onTestFinished(() => server.remove());
  const [today, before] = [await server.newDatabase(), await server.newDatabase()];
  const { first, decisions } = await makeHistory(await openStore({ data: tmpdir(), databaseUrl: today }));
  await copyPostgres(today, before);
  const old = await oldReplica(before);
  onTestFinished(() => old.close());
  const recorded: string[] = [];
  let isUp = false;
  const deciding = (async () => {
    for (let after = 0; after < 10; after += isUp ? 1 : 0)
      recorded.push(await old.commit(first.workspace.id));
  })();
  const port = await freePort();
  const sending = keepSending(`http://127.0.0.1:${port}`, first.developmentKey);
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const service = await startTestService({ folder, settings: { port: String(port), databaseUrl: before } });
  onTestFinished(() => service.stop());
  isUp = true;
  await deciding;
  const all = [...decisions, ...recorded, ...(await sending)];
  await requireAll(service.store, first.workspace.id, all);
  const sizes = (await service.store.logs()).map(({ size }) => size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(all.length);
}, 60_000);
