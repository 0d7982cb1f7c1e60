import { describe, expect, test } from 'vitest';
import { ocsfFaults } from '../test/ocsf-schema.ts';
import { type OcsfDecision, ocsfDecision, ocsfEvent } from './ocsf.ts';

const DECISION: OcsfDecision = {
  decisionId: 'dec_1',
  auditId: 'aud_1',
  workspace: 'ws_1',
  keyId: 'key_1',
  keyKind: 'live',
  atMs: 1_700_000_000_000,
  decision: 'block',
  evaluatedDecision: 'block',
  reasonCode: 'CONTROL_FAILED',
  policyRef: 'sha256:00',
  intentDigest: 'sha256:11',
  requestId: 'req_1',
  traceId: 't',
  agent: 'robot',
  runId: 'run-1',
  target: {
    system: 'erp',
    objectType: 'vendor',
    objectRef: 'V-1',
    field: 'iban',
    operation: 'vendor.update',
  },
};
describe('a decision as an OCSF event', () => {
  test('says who did what to which resource, and what the control did about it', () => {
    expect(ocsfDecision(DECISION)).toMatchObject({
      class_uid: 6003,
      category_uid: 6,
      activity_id: 3,
      type_uid: 600_303,
      time: 1_700_000_000_000,
      severity_id: 3,
      status_id: 2,
      status_code: 'CONTROL_FAILED',
      action_id: 2,
      disposition_id: 2,
      is_alert: true,
      policy: { uid: 'sha256:00' },
      authorizations: [{ decision: 'block', policy: { uid: 'sha256:00' } }],
      actor: { app_name: 'robot', user: { uid: 'key_1' } },
      api: { operation: 'vendor.update', service: { name: 'erp' }, request: { uid: 'req_1' } },
      resources: [{ type: 'vendor', uid: 'V-1', data: { field: 'iban' } }],
      metadata: { version: '1.6.0', uid: 'dec_1', tenant_uid: 'ws_1', profiles: ['security_control'] },
      unmapped: { decision: 'block', intent_digest: 'sha256:11' },
    });
  });

  test('never calls a pause allowed, and distinguishes an allow from one that is only observed', () => {
    const outcome = (decision: OcsfDecision['decision'], evaluatedDecision = decision) => {
      const event = ocsfDecision({ ...DECISION, decision, evaluatedDecision }) as { [name: string]: unknown };
      return [event.action_id, event.disposition_id, event.disposition, event.status_id, event.is_alert];
    };
    expect(outcome('allow')).toEqual([1, 1, 'Allowed', 1, false]);
    expect(outcome('allow', 'block')).toEqual([1, 17, 'Logged', 1, false]);
    expect(outcome('pause')).toEqual([2, 99, 'Paused', 2, false]);
    expect(outcome('block')).toEqual([2, 2, 'Blocked', 2, true]);
  });

  test('matches the schema, and has no empty member, even for a pruned or bare decision', () => {
    const { agent, runId, policyRef, requestId, ...bare } = DECISION;
    const events = [
      ocsfDecision(DECISION),
      ocsfDecision({ ...bare, target: null }),
      ocsfDecision({ ...bare, target: { system: 'erp', operation: 'vendor.audit' } }),
      ocsfEvent('policy.applied', 1, { workspace: 'ws_1', revision: 2 }),
      ...(['allow', 'pause', 'block'] as const).map((decision) => ocsfDecision({ ...DECISION, decision })),
      ocsfDecision({ ...DECISION, decision: 'allow' }),
      ocsfDecision({ ...bare, target: { system: 'erp', objectType: 'vendor', field: 'iban' } }),
      ocsfDecision({ ...bare, target: { system: 'erp', field: 'iban' } }),
    ];
    for (const event of events) {
      expect(ocsfFaults(event)).toEqual([]);
      expect(JSON.stringify(event)).not.toMatch(/null|\{\}|\[\]/);
    }
    expect(events[2]).toMatchObject({ activity_id: 99, activity_name: 'vendor.audit', type_uid: 600_399 });
    expect(events[3]).toMatchObject({ api: { operation: 'policy.applied' }, unmapped: { revision: 2 } });
  });
});
