import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newWorkspace } from '../../../test/store-contract/store-contract-values.ts';
import { openSqliteStore } from './sqlite-store.ts';

const { workspace, keys } = newWorkspace();
const RUN = {
  ...{ workspace: workspace.id, id: `imp_${'1'.repeat(32)}`, startedAtMs: Date.now() },
  ...{ settings: '{}', done: 3, total: 9, report: '{}' },
};
const LEASE_MS = 60_000;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'writecheck-presence-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a run that a killed process left behind is failed as soon as the store is open again', async () => {
  const killed = await openSqliteStore(folder);
  await killed.createWorkspace(workspace, keys);
  await killed.startRun(RUN, LEASE_MS);
  // Closing says nothing about the run, as a kill does not.
  await killed.close();
  const store = await openSqliteStore(folder);
  const found = await store.findRun(workspace.id, RUN.id);
  expect(found).toMatchObject({ state: 'failed', done: 3, because: expect.any(String) });
  expect(found!.finishedAtMs).toBeLessThanOrEqual(Date.now());
  expect(await store.startRun({ ...RUN, id: `imp_${'2'.repeat(32)}` }, LEASE_MS)).toEqual({
    kind: 'started',
  });
  await store.close();
});

test('a run of a process that is still there goes on when another one starts', async () => {
  const first = await openSqliteStore(folder);
  await first.createWorkspace(workspace, keys);
  await first.startRun(RUN, LEASE_MS);
  for (let times = 0; times < 2; times += 1) {
    const second = await openSqliteStore(folder);
    expect(await second.findRun(workspace.id, RUN.id)).toMatchObject({ state: 'running' });
    await second.close();
  }
  expect(await first.keepRun(workspace.id, RUN.id, RUN, LEASE_MS)).toBe(true);
  await first.close();
});

test('a process that starts waits for one that is ending runs', async () => {
  const store = await openSqliteStore(folder);
  await store.close();
  const ending = new Database(join(folder, 'presence.db'));
  ending.exec('BEGIN EXCLUSIVE');
  setTimeout(() => ending.close(), 0);
  const waited = await openSqliteStore(folder);
  expect(await waited.health()).toEqual({ kind: 'ok' });
  await waited.close();
});
