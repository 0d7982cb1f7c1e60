import { afterAll, beforeAll, expect, test } from 'vitest';
import { ocsfFaults } from '../../../ledger/test/ocsf-schema.ts';
import { bodyOf } from '../../src/features/webhooks/bodies.ts';
import { ALLOWED, check, PAUSED } from '../ask.ts';
import { callWritecheck } from '../call-writecheck.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('an export as OCSF has one event for each decision, without values or evidence', async () => {
  const allowed = (await check(service, { ...ALLOWED, metadata: { agent: 'robot' } })).body;
  const paused = (await check(service, PAUSED)).body;
  const { code, stdout, stderr } = await callWritecheck(['audit', 'export', '--format', 'ocsf'], {
    WRITECHECK_URL: service.url,
    WRITECHECK_OWNER_KEY: service.ownerKey,
  });
  expect([code, stderr]).toEqual([0, '']);
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(
    events.map(({ metadata, action_id, status_code }) => [metadata.uid, action_id, status_code]),
  ).toEqual([
    [allowed.decision_id, 1, 'requirements_met'],
    [paused.decision_id, 2, 'CONTROL_EVIDENCE_MISSING'],
  ]);
  expect(events.flatMap(ocsfFaults)).toEqual([]);
  expect(events[0].actor.app_name).toBe('robot');
  expect(events[0].resources).toEqual([{ type: 'customer', uid: 'C-1', data: { field: 'email' } }]);
  expect(stdout).not.toContain('ada@example.com');
  expect(stdout).not.toContain('okta');
  const resumed = await callWritecheck(['audit', 'export', '--format', 'ocsf', '--resume', '--out', 'x'], {
    WRITECHECK_OWNER_KEY: service.ownerKey,
  });
  expect(resumed.stderr).toContain('cannot be continued');
});

test('a webhook in this format sends the same event, and other events with their data', () => {
  const target = {
    system: 'erp',
    objectType: 'vendor',
    objectRef: 'V-1',
    field: null,
    operation: 'vendor.delete',
  };
  const data = {
    workspace: 'ws_1',
    decisionId: 'dec_1',
    auditId: 'aud_1',
    decision: 'block',
    evaluatedDecision: 'block',
    reasonCode: 'CONTROL_FAILED',
    keyId: 'key_1',
    keyKind: 'live',
    target,
    runId: null,
    url: 'https://x.example/#/decisions/dec_1',
  };
  const stored = (type: string, content: object) =>
    JSON.parse(
      bodyOf('ocsf', { type, atMs: 5, data: JSON.stringify(content) } as Parameters<typeof bodyOf>[1]),
    );
  expect(stored('decision.blocked', data)).toMatchObject({
    class_uid: 6003,
    activity_id: 4,
    disposition: 'Blocked',
    time: 5,
    metadata: { uid: 'dec_1' },
  });
  expect(stored('review.opened', { workspace: 'ws_1', reviewId: 'rev_1' })).toMatchObject({
    api: { operation: 'review.opened' },
    unmapped: { reviewId: 'rev_1' },
  });
});
