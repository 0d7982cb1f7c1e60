import { expect, test } from 'vitest';
import { newKey } from '../../../store/test/store-contract/store-contract-values.ts';
import { checkWrite } from '../../src/check/check-write.ts';
import { actorOfKey } from '../../src/exchange/actor.ts';
import { listsAs } from '../../src/features/authzen/evaluate.ts';
import { readEvaluation } from '../../src/features/authzen/read-evaluations.ts';
import { isRecorded, openKit } from '../check-kit.ts';

test('an evaluation mapped under another list than the policy has is not decided', async () => {
  const kit = await openKit();
  await kit.applyPolicy([
    { kind: 'Profile', id: 'p', match: { operation: 'read' }, permit: true },
    { kind: 'Defaults', authzenContext: ['channel'] },
  ]);
  const evaluate = (listed: readonly string[]) =>
    checkWrite(kit.parts, {
      family: 'evaluation',
      read: (body, key) => readEvaluation(body, key, listed),
      readsAlikeUnder: listsAs(listed),
    })({
      actor: actorOfKey({
        ...newKey('live'),
        workspace: kit.workspace,
        lastUsedAtMs: null,
        revokedAtMs: null,
        standing: { state: 'active', isSelfServe: false },
      } as never),
      body: Buffer.from(
        '{"subject":{"type":"user","id":"a"},"action":{"name":"read"},"resource":{"type":"r","id":"1"}}',
      ),
      context: { requestId: 'req_1', traceId: '0'.repeat(32), nowMs: kit.clockMs },
      request: { header: () => undefined },
    });
  expect((await evaluate([])).status).toBe(503);
  const { status, body } = await evaluate(['channel']);
  expect(status).toBe(200);
  const { allowed, decision_id } = JSON.parse(String(body));
  expect([allowed, await isRecorded(kit, decision_id)]).toEqual([true, true]);
  await kit.close();
});
