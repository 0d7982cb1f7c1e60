/** Writes generated segments directly into a store that nothing else uses, and signs the log at its end. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkpointText, Frontier } from '@writecheck/ledger';
import { loadSigner } from '@writecheck/service/features/audit/log-signer';
import type { BuiltSegment } from '@writecheck/store/commit/segment-builder';
import { LEAVES_PER_LOG } from '@writecheck/store/log/log-positions';
import { encodeSegment } from '@writecheck/store/log/segment';
import type { Store } from '@writecheck/store/port';
import { sha256 } from '@writecheck/store/sha256';
import { prepareAppendSegment } from '@writecheck/store/sqlite/append-segment';
import Database from 'better-sqlite3';
import pg from 'pg';

const SEGMENTS_A_TRANSACTION = 512;
const SEGMENTS_A_STATEMENT = 64;

const EMPTY_FRONTIER = Buffer.alloc(8);
const FORGET = ['DELETE FROM segment', 'DELETE FROM node', 'DELETE FROM checkpoint'];

export function forgetInSqlite(folder: string): void {
  const db = new Database(join(folder, 'writecheck.db'));
  for (const statement of FORGET) db.exec(statement);
  db.prepare('UPDATE log SET size = 0, frontier = ?, newest_ms = 0').run(EMPTY_FRONTIER);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  for (const file of ['search.db', 'search.db-wal', 'search.db-shm'])
    rmSync(join(folder, file), { force: true });
  rmSync(join(folder, 'newest-checkpoint'), { force: true });
}

export async function forgetInPostgres(url: string, folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SET search_path = writecheck');
  for (const statement of FORGET) await client.query(statement);
  await client.query('UPDATE log SET size = 0, frontier = $1, newest_ms = 0', [EMPTY_FRONTIER]);
  await client.end();
  rmSync(join(folder, 'newest-checkpoint'), { force: true });
}

export function writeToSqlite(folder: string, log: string, segments: Iterable<BuiltSegment>): void {
  const db = new Database(join(folder, 'writecheck.db'));
  db.pragma('synchronous = OFF');
  const { headOf, appendSegment, writeHead } = prepareAppendSegment(db);
  let open = 0;
  for (const segment of segments) {
    if (open === 0) db.exec('BEGIN IMMEDIATE');
    writeHead(appendSegment(headOf(log), segment, encodeSegment(segment.entries)));
    open = (open + 1) % SEGMENTS_A_TRANSACTION;
    if (open === 0) db.exec('COMMIT');
  }
  if (open > 0) db.exec('COMMIT');
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

export async function writeToPostgres(
  url: string,
  log: string,
  segments: Iterable<BuiltSegment>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('SET synchronous_commit = off');
  const found = await client.query('SELECT number, size FROM writecheck.log WHERE log = $1', [log]);
  const { number } = found.rows[0] as { readonly number: number };
  let size = Number(found.rows[0].size);
  let some: BuiltSegment[] = [];
  const flush = async (): Promise<void> => {
    const last = some.at(-1);
    if (last === undefined) return;
    const positions = some.map(({ entries }) => {
      size += entries.length;
      return number * LEAVES_PER_LOG + size - entries.length;
    });
    const nodes = some.flatMap((segment) => segment.nodes);
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO writecheck.segment SELECT * FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[],
         $5::bytea[], $6::bytea[])`,
      [
        positions,
        some.map(({ entries }) => entries.length),
        some.map(({ oldestMs }) => oldestMs),
        some.map(({ latestMs }) => latestMs),
        some.map(({ leafHashes }) => leafHashes),
        some.map(({ entries }) => encodeSegment(entries)),
      ],
    );
    await client.query(
      'INSERT INTO writecheck.node SELECT $1, * FROM unnest($2::integer[], $3::bigint[], $4::bytea[])',
      [
        number,
        nodes.map(({ level }) => level),
        nodes.map((node) => node.number),
        nodes.map(({ hash }) => Buffer.from(hash)),
      ],
    );
    await client.query(
      'UPDATE writecheck.log SET size = $2, frontier = $3, newest_ms = $4 WHERE number = $1',
      [number, last.next.size, Buffer.from(last.next.frontier), last.next.newestMs],
    );
    await client.query('COMMIT');
    some = [];
  };
  for (const segment of segments) {
    some.push(segment);
    if (some.length === SEGMENTS_A_STATEMENT) await flush();
  }
  await flush();
  // What autovacuum would have done over the year.
  await client.query('VACUUM ANALYZE writecheck.segment');
  await client.end();
}

/** As the service would have done: its first start would read every unsigned entry. Resolves with the last note. */
export async function signLog(store: Store, data: string): Promise<string> {
  const signer = loadSigner({ data, signingKey: null }, false);
  let newest = '';
  for (const { log, size, frontier } of await store.logs()) {
    const root = Frontier.fromBytes(frontier, sha256)!.root();
    newest = signer.note(checkpointText({ log, size, root }));
    await store.keepCheckpoint({ log, size, frontier, note: newest });
  }
  return newest;
}
