/**
 * kill -9 in the middle of commits: the remaining log verifies, and contains every decision that has a receipt.
 * @module-tag nightly
 */
import { rmSync } from 'node:fs';
import { type Receipt, verifyReceipt } from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { ALLOWED, ask, receiptOf } from '../ask.ts';
import { ownerKeyOf, spawnWritecheck } from '../spawn-service.ts';
import { startTestService } from '../start-service.ts';
import { exportOf, newFolder, verdictOf } from './audit-kit.ts';

const ROUNDS = 4;
const LANES = 16;

test('a log that lost its writer in the middle of a commit verifies, and every receipt given holds', async () => {
  const folder = newFolder();
  const receipts: Receipt[] = [];
  const notes: string[] = [];
  let secrets: { readonly owner: string; readonly development: string } | null = null;
  for (let round = 0; round < ROUNDS; round += 1) {
    const spawned = spawnWritecheck(['serve', '--port', '0', '--data', folder]);
    const url = await spawned.listening;
    secrets ??= {
      owner: ownerKeyOf(spawned.stdout()),
      development: /wck_dev_\w+/.exec(spawned.stdout())![0],
    };
    const key = secrets.development;
    const lane = async (): Promise<void> => {
      for (;;) {
        const decided = await ask(`${url}/v1/check-write`, { key, json: ALLOWED });
        receipts.push(await receiptOf(url, key, decided));
      }
    };
    const lanes = Array.from({ length: LANES }, () => lane().catch(() => undefined));
    const wanted = receipts.length + 30 + 20 * round;
    await expect.poll(() => receipts.length, { timeout: 20_000, interval: 2 }).toBeGreaterThan(wanted);
    notes.push(receipts.at(-1)!.checkpoint);
    spawned.child.kill('SIGKILL');
    await Promise.all([spawned.finished, ...lanes]);
  }
  const service = await startTestService({ folder });
  const keys = (await ask(`${service.url}/v1/audit/key`)).text;
  const lines = await exportOf(service, {}, secrets!.owner);
  const { workspace } = JSON.parse(lines[0]!) as { workspace: string };
  // What was signed before each kill must be a prefix of the current log.
  const verdict = await verdictOf(lines, { keys, workspace, knownCheckpoints: notes });
  expect(verdict.ok, verdict.words).toBe(true);
  const leaves = new Set(lines.map((line) => (JSON.parse(line) as { leaf?: string }).leaf));
  for (const receipt of receipts) {
    expect(leaves.has(receipt.leaf)).toBe(true);
    const question = { receipt, intent: ALLOWED, keys, workspace, now: Date.now(), acceptDevelopment: true };
    expect((await verifyReceipt(question)).ok).toBe(true);
  }
  await service.stop();
  rmSync(folder, { recursive: true });
}, 120_000);
