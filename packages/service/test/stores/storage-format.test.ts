/** The page about the storage format: its tables match the schemas, and its script reads a real store. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TABLES } from '@writecheck/store/postgres/schema';
import { SCHEMA } from '@writecheck/store/sqlite/schema';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAll } from '../ask.ts';
import { startTestService } from '../start-service.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/storage-format.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'writecheck-format-'));
const script = join(folder, 'read-record.mjs');
const database = join(folder, 'copy.db');
/** The first one is in a small segment, the others in a compressed one: concurrent checks share a commit. */
const decisions: string[] = [];
let keyLine = '';

beforeAll(async () => {
  writeFileSync(script, /^```js\n(.*?)^```/ms.exec(page)![1]!);
  const service = await startTestService();
  for (const count of [1, 50]) {
    const checks = Array.from({ length: count }, (_, i) => ({
      system: 'erp',
      operation: 'vendor.update',
      objectRef: `V-${i}`,
    }));
    const replies = await checkAll(service.url, service.liveKey, checks);
    decisions.push(...replies.map(({ body }) => body.decision_id));
  }
  // Large enough to be compressed, also in a commit of its own.
  const large = { system: 'erp', operation: 'vendor.update', objectRef: 'V', agentValue: 'v'.repeat(16_000) };
  const [reply] = await checkAll(service.url, service.liveKey, [large]);
  decisions.push(reply!.body.decision_id);
  // Signs a checkpoint that covers them all.
  await fetch(`${service.url}/v1/audit/checkpoint`);
  keyLine = (await (await fetch(`${service.url}/v1/audit/key`)).text()).trim();
  const db = new Database(join(service.folder, 'writecheck.db'), { readonly: true });
  db.prepare('VACUUM INTO ?').run(database);
  db.close();
  await service.stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (file: string, decision: string, key = keyLine) =>
  promisify(execFile)(process.execPath, [script, file, decision, key], { timeout: 30_000 });

describe('the script of the page', () => {
  test('extracts and verifies records from plain and from compressed segments', async () => {
    const db = new Database(database, { readonly: true });
    const magics = db
      .prepare("SELECT DISTINCT hex(substr(body, 1, 4)) = '28B52FFD' FROM segment")
      .pluck()
      .all();
    db.close();
    expect(magics).toHaveLength(2);
    for (const decision of [decisions[0]!, decisions.at(-1)!]) {
      const { stdout, stderr } = await read(database, decision);
      const record = JSON.parse(stdout) as { readonly decision_id: string; readonly intent: object };
      expect(record).toMatchObject({ decision_id: decision, intent: { system: 'erp' } });
      expect(stderr.trim().split('\n')).toHaveLength(7);
    }
  });

  test('refuses a database in which a hash was changed', async () => {
    const changed = join(folder, 'changed.db');
    copyFileSync(database, changed);
    const db = new Database(changed);
    db.exec('UPDATE segment SET leaf_hashes = zeroblob(32) WHERE position = 0');
    db.close();
    await expect(read(changed, decisions[0]!)).rejects.toThrow('the stored hash is that of the leaf');
    await expect(read(changed, decisions.at(-1)!)).rejects.toThrow('the log is the one that was signed');
  });

  test('refuses a key that did not sign', async () => {
    const other = keyLine.replace(/\+[0-9a-f]{8}\+/, '+00000000+');
    await expect(read(database, decisions[0]!, other)).rejects.toThrow('signed with your key');
  });
});

test('the page lists every table of both stores, and no other', () => {
  const section = /^## Tables\n(.*?)^## /ms.exec(page)![1]!;
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  const sqlite = [...SCHEMA.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name!);
  const postgres = [...TABLES.map((name) => name.replace('writecheck.', '')), 'migration'];
  expect(new Set(named)).toEqual(new Set([...sqlite, ...postgres]));
});
