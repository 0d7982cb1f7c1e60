/** The runbook `docs/the-night-it-goes-wrong.md`, step by step: from the first alert to the lift. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, type Reply } from './ask.ts';
import { calls, type Stoppable, startOn, WRITE } from './freezes-kit.ts';
import { runWritecheck } from './spawn-service.ts';

let stoppable: Stoppable;
let call: ReturnType<typeof calls>;
beforeAll(async () => {
  stoppable = await startOn('SQLite');
  call = calls(stoppable);
});
afterAll(() => stoppable.stop());

const RUNBOOK = new URL('../../../docs/the-night-it-goes-wrong.md', import.meta.url);
/** What the runbook tells to send or run; nothing here is done that it does not say. */
function requireStep(text: string): void {
  expect(readFileSync(RUNBOOK, 'utf8')).toContain(text);
}

test('from the first alert to the lift', async () => {
  const taking = () => ({ 'idempotency-key': randomUUID(), redeem: 'agent-1' });
  const written: Reply = await call.check(WRITE, taking());
  const notRun: Reply = await call.check(WRITE, taking());
  const waiting: Reply = await call.check();

  requireStep('GET /v1/decisions?decision=allow');
  const recent = await call.get('/v1/decisions?decision=allow&system=crm');
  expect(recent.body.decisions.length).toBeGreaterThanOrEqual(3);

  requireStep('POST /v1/freezes');
  const frozen = await call.freeze({
    reason: 'the import agent writes wrong addresses',
    scope: { system: 'crm' },
  });
  const { id } = frozen.body.freeze;
  expect((await call.check()).body).toMatchObject({
    reason_code: 'frozen',
    reason: 'the import agent writes wrong addresses',
  });
  expect((await call.redeem(waiting)).status).toBe(409);

  requireStep('GET /v1/freezes/{id}');
  const { body } = await call.get(`/v1/freezes/${id}`);
  expect(body.allowsBefore).toEqual({ count: 3, redeemed: 2 });

  requireStep('writecheck freeze --reason');
  const data = ['--data', stoppable.services[0]!.folder];
  const second = await runWritecheck([
    'freeze',
    '--reason',
    'the service does not answer',
    '--system',
    'erp',
    ...data,
  ]);
  expect([second.code, second.stderr]).toEqual([0, '']);
  const byOperator = /^(frz_\w+) stops /.exec(second.stdout)![1]!;
  expect((await call.check({ ...WRITE, system: 'erp' })).body.reason).toBe('the service does not answer');
  expect((await call.get(`/v1/freezes/${byOperator}`)).body.freeze.createdBy).toEqual({
    kind: 'operator',
    id: userInfo().username,
  });

  requireStep('POST /v1/decisions/{id}/outcome');
  const tell = (decided: Reply, result: string) =>
    ask(`${stoppable.services[0]!.url}/v1/decisions/${decided.body.decision_id}/outcome`, {
      key: stoppable.ownerKey,
      json: { result },
    });
  expect((await tell(written, 'done')).status).toBe(200);
  expect((await tell(notRun, 'failed')).status).toBe(200);
  requireStep('GET /v1/decisions?outcome=missing');
  const missing = await call.get('/v1/decisions?outcome=missing');
  expect(missing.body.decisions).toEqual([]);

  requireStep('writecheck freeze lift');
  const lifted = await runWritecheck(['freeze', 'lift', byOperator, '--reason', 'it answers again', ...data]);
  expect([lifted.code, lifted.stdout]).toEqual([0, `${byOperator} is lifted\n`]);
  requireStep('POST /v1/freezes/{id}/lift');
  expect((await call.lift(id)).body.freeze.liftReason).toBe('it is over');
  expect((await call.check()).body.decision).toBe('allow');
  expect((await call.redeem(waiting)).status).toBe(409);
}, 60_000);
