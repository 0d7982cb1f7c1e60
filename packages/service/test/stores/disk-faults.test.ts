/** Real errors under the data folder: locked, removed, replaced, damaged, read-only, full. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databasePath, searchPath } from '@writecheck/store/sqlite/open-database';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { intentOf, isRecorded, openKit } from '../check-kit.ts';

const isRoot = process.getuid?.() === 0;

test('a locked database is 503, and decides again once it is free', async () => {
  const kit = await openKit();
  const other = new Database(databasePath(kit.folder));
  other.exec('BEGIN IMMEDIATE');
  const locked = await kit.ask(intentOf());
  expect([locked.status, locked.json.error.code]).toEqual([503, 'store_unavailable']);
  expect(locked.json.error.message).toMatch(/locked|in time/);
  other.exec('ROLLBACK');
  other.close();
  await expect.poll(async () => (await kit.ask(intentOf())).status).toBe(200);
  await kit.close();
});

test('a database file that was removed or replaced takes no more decisions', async () => {
  const kit = await openKit();
  await kit.ask(intentOf());
  const path = databasePath(kit.folder);
  renameSync(path, `${path}.away`);
  const removed = await kit.ask(intentOf());
  expect([removed.status, removed.json.error.code]).toEqual([503, 'store_unavailable']);
  expect(await kit.store.health()).toMatchObject({ kind: 'failing' });
  writeFileSync(path, 'something else');
  expect((await kit.ask(intentOf())).status).toBe(503);
  renameSync(`${path}.away`, path);
  const back = await kit.ask(intentOf());
  expect(back.status).toBe(200);
  expect(await isRecorded(kit, back.json.decision_id)).toBe(true);
  await kit.close();
});

test('a file that is not a database is refused at the start, with a message', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-damaged-'));
  writeFileSync(
    databasePath(folder),
    'this is not a database, and long enough to be looked at as one'.repeat(200),
  );
  await expect(openSqliteStore(folder)).rejects.toThrow('damaged or not a database');
  rmSync(folder, { recursive: true });
});

test('a database with a valid header and a damaged body is refused at the start', async () => {
  const kit = await openKit();
  for (let i = 0; i < 20; i += 1) await kit.ask(intentOf());
  await kit.store.close();
  const path = databasePath(kit.folder);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, 4_096));
  await expect(openSqliteStore(kit.folder)).rejects.toThrow('damaged or not a database');
  rmSync(kit.folder, { recursive: true });
});

test('a damaged search index is rebuilt', async () => {
  const kit = await openKit();
  await kit.ask(intentOf());
  await kit.store.listDecisions({ workspace: kit.workspace, limit: 1 });
  await kit.store.close();
  for (const ending of ['-wal', '-shm']) rmSync(`${searchPath(kit.folder)}${ending}`, { force: true });
  writeFileSync(searchPath(kit.folder), 'not an index at all'.repeat(500));
  const store = await openSqliteStore(kit.folder);
  expect(await store.listDecisions({ workspace: kit.workspace, limit: 9 })).toMatchObject({
    decisions: [{}],
  });
  await store.close();
  rmSync(kit.folder, { recursive: true });
});

test.skipIf(isRoot)('a read-only folder is refused at the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-readonly-'));
  chmodSync(folder, 0o500);
  await expect(openSqliteStore(folder)).rejects.toThrow(/cannot be read or written|read-only/);
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

/** Needs the right to mount; without it, a full disk is still one of the injected errors. */
const small = mkdtempSync(join(tmpdir(), 'writecheck-full-'));
const canMount = (() => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', small], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!canMount)(
  'a folder that is mounted read-only is reported, even if its files all exist',
  async () => {
    const mounted = mkdtempSync(join(tmpdir(), 'writecheck-mounted-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', mounted]);
    try {
      const remount = (how: string) => execFileSync('mount', ['-o', `remount,${how}`, mounted]);
      remount('ro');
      await expect(openSqliteStore(mounted)).rejects.toThrow(
        'the data folder is read-only; mount it writable',
      );
      remount('rw');
      await (await openSqliteStore(mounted)).close();
      remount('ro');
      await expect(openSqliteStore(mounted)).rejects.toThrow(
        'the data folder is read-only; mount it writable',
      );
    } finally {
      execFileSync('umount', ['--lazy', mounted]);
    }
  },
);

test.skipIf(!canMount)(
  'a full disk is 503, loses nothing acknowledged, and decides again with free space',
  async () => {
    try {
      const kit = await openKit({ folder: small });
      const acknowledged: string[] = [];
      let refused = 0;
      for (let i = 0; i < 2_000 && refused < 3; i += 1) {
        const answer = await kit.ask(intentOf({ agentValue: 'x'.repeat(8_000) }));
        if (answer.status === 200) acknowledged.push(answer.json.decision_id);
        else {
          refused += 1;
          expect([answer.status, answer.json.error.code]).toEqual([503, 'store_unavailable']);
          expect(answer.json.error.message).toContain('full');
        }
      }
      expect(refused).toBe(3);
      for (const id of acknowledged) expect(await isRecorded(kit, id)).toBe(true);
      execFileSync('mount', ['-o', 'remount,size=16m', small]);
      await expect.poll(async () => (await kit.ask(intentOf())).status).toBe(200);
      await kit.store.close();
    } finally {
      if (existsSync(small)) execFileSync('umount', ['-l', small]);
    }
  },
);
