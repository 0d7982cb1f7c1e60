import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyExtension } from '@writecheck/ledger';
import { ForkAlarm } from '@writecheck/store/append-guard';
import type { Committed, Store } from '@writecheck/store/port';
import { openSqliteStore } from '@writecheck/store/sqlite/sqlite-store';
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
  const signer = loadSigner({ data: folder, signingKey: null }, true);
  for (let i = 0; i < 4; i += 1) await commitTo(store, [newRequest(workspace.id)]);
  const at = async (size: number) => ({ size, root: await rootAt(store, store.log, size) });
  const committed = (before: Awaited<ReturnType<typeof at>>, treeSize: number, root: Uint8Array) =>
    ({
      ...{ kind: 'committed', decisionId: 'dec_1', log: store.log, leafIndex: treeSize - 1, used: 1 },
      inclusion: { leaf: '', before, treeSize, root, proof: '' },
    }) as unknown as Committed;
  const { notary, alarm } = newNotary(signer, new Map([[store.log, await at(2)]]));
  // The notary must look up whether this one extends the two entries; meanwhile another extends the same two.
  const [two, three, four] = [await at(2), await at(3), await at(4)];
  const stored = notary.receiptTextOf(committed(three, 4, four.root));
  const other = notary.receiptTextOf(committed(two, 3, new Uint8Array(32).fill(7)));
  expect(typeof other).toBe('string');
  await expect(stored).rejects.toMatchObject({
    cause: { message: expect.stringContaining('do not begin with the 3 that were signed') },
  });
  expect(alarm.isRaised).toBe(true);
});
