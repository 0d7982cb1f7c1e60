import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, expect, test } from 'vitest';
import { commitTo, newRequest, newWorkspace } from '../../test/store-contract/store-contract-values.ts';
import { openSqliteStore } from './sqlite-store.ts';

const folders: string[] = [];
const newFolder = async (): Promise<string> => {
  folders.push(await mkdtemp(join(tmpdir(), 'writecheck-keys-')));
  return folders.at(-1)!;
};
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

const PERIOD = new Date().toISOString().slice(0, 7);
const made = async () => {
  const folder = await newFolder();
  const store = await openSqliteStore(folder);
  const { workspace, keys } = newWorkspace();
  await store.createWorkspace(workspace, keys);
  const claim = (key: string) =>
    newRequest(workspace.id, { claim: { key, response: key, expiresAtMs: Date.now() + 60_000 } });
  return { folder, store, workspace: workspace.id, claim };
};

test('if two processes claim the same keys concurrently, each key has one decision', async () => {
  const { folder, store, workspace, claim } = await made();
  const second = await openSqliteStore(folder);
  const rounds = 40;
  let done = 0;
  let twins = 0;
  for (let round = 0; round < rounds; round += 1) {
    const group = (own: string) => [claim(`${own} ${round}`), claim(`shared ${round}`)];
    const both = await Promise.all([commitTo(store, group('a')), commitTo(second, group('b'))]);
    for (const { kind } of both.flat()) {
      if (kind === 'committed') done += 1;
      if (kind === 'twin') twins += 1;
    }
  }
  expect([done, twins]).toEqual([3 * rounds, rounds]);
  expect((await store.usage(workspace, PERIOD)).live).toBe(3 * rounds);
  await Promise.all([store.close(), second.close()]);
});

test('a wrong guess whose second attempt fails leaves nothing behind, and the key stays bound', async () => {
  const { folder, store, workspace, claim } = await made();
  await commitTo(store, [claim('known')]);
  const sizeOf = async () => (await store.logs()).find(({ log }) => log === store.log)!.size;
  const before = await sizeOf();
  const db = new Database(join(folder, 'writecheck.db'));
  // The first attempt appends two decisions, and the second attempt one.
  db.exec(`CREATE TRIGGER stop BEFORE INSERT ON segment WHEN NEW.count = 1
    BEGIN SELECT RAISE(ABORT, 'the second attempt'); END`);
  const failing = commitTo(store, [claim('new'), claim('known')]);
  await expect(failing).rejects.toMatchObject({ name: 'StoreUnavailable' });
  db.exec('DROP TRIGGER stop');
  db.close();
  expect(await sizeOf()).toBe(before);
  expect(await store.findAnswer(workspace, 'new', Date.now())).toBeNull();
  const outcomes = await commitTo(store, [claim('new'), claim('known')]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'twin']);
  await store.close();
});

test('a key that a restored backup holds is not treated as new', async () => {
  const { folder, store, claim } = await made();
  await commitTo(store, [claim('before')]);
  const restored = await newFolder();
  const db = new Database(join(folder, 'writecheck.db'));
  await db.backup(join(restored, 'writecheck.db'));
  db.close();
  await commitTo(store, [claim('after')]);
  await store.close();
  const again = await openSqliteStore(restored);
  const [outcome] = await commitTo(again, [claim('before')]);
  expect(outcome!.kind).toBe('twin');
  await again.close();
});
