import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyExtension } from '@writecheck/ledger';
import { ForkAlarm } from '@writecheck/store/append-guard';
import type { Store } from '@writecheck/store/port';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  commitTo,
  newRequest,
  newWorkspace,
} from '../../../../store/test/store-contract/store-contract-values.ts';
import { consistencyOf, rootAt } from './log-hashes.ts';
import { LogNotary, type NotaryStore, type TrustedSize } from './log-notary.ts';
import { loadSigner } from './log-signer.ts';

let folder: string;
let store: Store;
const { workspace, keys } = newWorkspace();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writecheck-notary-'));
  store = await openSqliteStore(folder);
  await store.createWorkspace(workspace, keys);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function newNotary(
  signer = loadSigner({ data: folder, signingKey: null }, true),
  trusted: ReadonlyMap<string, TrustedSize> = new Map(),
  read: NotaryStore = store,
) {
  const alarm = new ForkAlarm();
  return { notary: new LogNotary(read, signer, trusted, false, alarm), alarm };
}

test('while the log grows, every caller gets a checkpoint that covers the entries present at the time of the call, of one history', async () => {
  const signer = loadSigner({ data: folder, signingKey: null }, true);
  // Two, as two processes would have them.
  const notaries = [newNotary(signer).notary, newNotary(signer).notary];
  const notes = new Map<number, string>();
  let isGrowing = true;
  const growing = (async () => {
    for (let i = 0; i < 40; i += 1) await commitTo(store, [newRequest(workspace.id)]);
    isGrowing = false;
  })();
  const asking = notaries.flatMap((notary) =>
    Array.from({ length: 4 }, async () => {
      while (isGrowing) {
        await new Promise((resolve) => setImmediate(resolve));
        const { size: before } = (await store.logs())[0]!;
        const checkpoint = (await notary.newest(store.log))!;
        expect(checkpoint.size).toBeGreaterThanOrEqual(before);
        expect(notes.get(checkpoint.size) ?? checkpoint.note).toBe(checkpoint.note);
        notes.set(checkpoint.size, checkpoint.note);
      }
    }),
  );
  await Promise.all([growing, ...asking]);
  const sizes = [...notes.keys()].sort((a, b) => a - b);
  expect(sizes.length).toBeGreaterThan(3);
  for (const [i, to] of sizes.entries()) {
    const from = sizes[Math.max(0, i - 1)]!;
    const proof = (await consistencyOf(store, store.log, from, to)).map((hash) =>
      Buffer.from(hash).toString('base64'),
    );
    const claim = { older: notes.get(from)!, newer: notes.get(to)!, proof, keys: [signer.line] };
    expect((await verifyExtension(claim)).ok).toBe(true);
  }
});

test('a log that shrank under a running service is not signed, and no caller waits forever', async () => {
  const shrunk: Store = {
    ...store,
    logs: async () => (await store.logs()).map((head) => ({ ...head, size: head.size - 1 })),
    newestCheckpoint: async () => null,
  };
  const { size } = (await store.logs())[0]!;
  const trusted = new Map([[store.log, { size, root: new Uint8Array(32) }]]);
  const { notary, alarm } = newNotary(undefined, trusted, shrunk);
  await expect(notary.newest(store.log)).rejects.toMatchObject({
    cause: { message: expect.stringContaining('smaller than what was signed') },
  });
  expect(alarm.isRaised).toBe(true);
});

test('a log that does not exist has no checkpoint', async () => {
  const { notary } = newNotary();
  expect(await notary.newest('log-unknown')).toBeNull();
});

test('if two histories both extend the signed one, only the first of them is signed', async () => {
  const other = mkdtempSync(join(tmpdir(), 'writecheck-notary-'));
  const db = new Database(join(folder, 'writecheck.db'), { readonly: true });
  await db.backup(join(other, 'writecheck.db'));
  db.close();
  const fork = await openSqliteStore(other);
  const { size } = (await store.logs())[0]!;
  const trusted = new Map([[store.log, { size, root: await rootAt(store, store.log, size) }]]);
  await commitTo(store, [newRequest(workspace.id)]);
  await commitTo(fork, [newRequest(workspace.id), newRequest(workspace.id)]);
  const history = new AsyncLocalStorage<Store>();
  const read = new Proxy(store, {
    get: (_, member: keyof Store) => (history.getStore() ?? store)[member],
  });
  const { notary, alarm } = newNotary(undefined, trusted, read);
  const signed = history.run(store, () => notary.newest(store.log));
  await expect(history.run(fork, () => notary.newest(store.log))).rejects.toMatchObject({
    cause: { message: expect.stringContaining(`do not begin with the ${size + 1} that were signed`) },
  });
  expect((await signed)!.size).toBe(size + 1);
  expect(alarm.isRaised).toBe(true);
  await fork.close();
  rmSync(other, { recursive: true });
});
