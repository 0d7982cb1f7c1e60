/** What a restored store still gives out of the allows that it had recorded before the backup. */
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { restoreCommand } from '../../../cli/src/operator/continue-store.ts';
import { ALLOWED, ask } from '../ask.ts';
import { temporaryFolder } from '../spawn-service.ts';
import { startTestService } from '../start-service.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['without a freeze an old allow is still returned to its key, but not redeemed', false, 200],
  ['under the freeze of the restore it is neither returned nor redeemed', true, 409],
])('%s', async (_, freeze, replays) => {
  const first = await startTestService({ folder });
  const { liveKey: key } = first;
  const checkOn = (url: string) =>
    ask(`${url}/v1/check-write`, { key, json: ALLOWED, headers: { 'idempotency-key': 'order-1' } });
  const { body: old } = await checkOn(first.url);
  expect(old.decision).toBe('allow');
  await first.stop();
  await restoreCommand({ freeze, data: folder });

  const restored = await startTestService({ folder });
  const again = await checkOn(restored.url);
  expect([again.status, again.body.decision_id === old.decision_id]).toEqual([replays, replays === 200]);
  const redeemed = await ask(`${restored.url}/v1/decisions/${old.decision_id}/redeem`, {
    key,
    json: { intentDigest: old.intentDigest },
  });
  expect([redeemed.status, redeemed.body.error.code]).toEqual([409, 'not_redeemable']);
  await restored.stop();
});
