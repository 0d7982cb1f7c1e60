import { afterAll, beforeAll, expect, test } from 'vitest';
import { fc } from '../../../../scripts/fast-check.ts';
import { ask } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

const RUNS = 60;

const POLICY = `
kind: ControlPack
id: core
controls:
  approval: { assurance: attested, review: true }
  screen: { maxAge: 10m, sources: [risk], onUnmet: block }
---
kind: Profile
id: refunds
match: { system: [erp, authzen], operation: "refund.*" }
when: intent.metadata.context.action.properties.amount > 100.0
require: [screen, approval]
---
kind: Profile
id: small-refunds
match: { system: authzen, operation: refund.pay }
when: intent.metadata.context.subject.properties.role == "clerk" && intent.metadata.context.action.properties.amount <= 100.0
permit: true
---
kind: Profile
id: details
match: { objectType: vendor, field: iban }
authority: { required: true, sources: [master] }
require: [identity]
writePolicy: block_on_mismatch
---
kind: Profile
id: notes
match: { system: crm, operation: note.add }
require: [identity]
---
kind: Profile
id: watched
match: { system: crm }
require: [screen]
writePolicy: observe
---
kind: Workflow
id: known
require: [identity]
---
kind: Defaults
unmatched: { pause: { system: erp } }
authzenContext: [channel]
`;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const { status, text } = await ask(`${service.url}/v1/policies`, {
    method: 'PUT',
    key: service.ownerKey,
    headers: { 'content-type': 'application/yaml' },
    body: POLICY,
  });
  expect(status, text).toBe(200);
});
afterAll(() => service.stop());

const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const properties = fc.dictionary(
  pick('role', 'amount', 'note'),
  pick<unknown>('clerk', 'boss', 5, 100, 100.5, 1e3, true, null, ['x'], { deep: [1] }),
);
const evaluation = fc.record({
  system: maybe(pick('erp', 'crm', 'authzen')),
  field: rarely(pick('iban', 'email')),
  value: rarely(pick('a', 'b')),
  found: rarely(fc.boolean()),
  authority: rarely(pick('a', 'c')),
  source: rarely(pick('master', 'other')),
  type: pick('vendor', 'customer'),
  id: pick('1', 'x/y', 'ü'),
  operation: pick('refund.pay', 'note.add', 'note.add', 'other'),
  workflow: rarely(pick('known', 'unknown')),
  controls: rarely(fc.subarray(['identity', 'own', 'screen'])),
  items: fc.array(
    fc.record({
      controlId: pick('identity', 'identity', 'own', 'screen', 'approval'),
      source: pick('risk', 'okta'),
      result: pick('PASS', 'PASS', 'PASS', 'PASS', 'PASS', 'FAIL', 'pass'),
      checkedAt: pick(new Date().toISOString(), '2020-01-01T00:00:00Z'),
    }),
    { maxLength: 4 },
  ),
  subject: properties,
  resource: properties,
  action: properties,
  actor: maybe(pick<unknown>('robot', 7)),
  channel: maybe(pick<unknown>('web', 3)),
});
type Evaluation = typeof evaluation extends fc.Arbitrary<infer T> ? T : never;

/** Drops undefined members, as JSON does. */
const clean = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const ifAny = (name: string, members: object) =>
  Object.keys(members).length === 0 ? {} : { [name]: members };

function asAuthzen(e: Evaluation) {
  const subject = { ...e.subject, ...(e.actor === undefined ? {} : { act: { sub: e.actor } }) };
  return clean({
    subject: { type: 'user', id: 'ada', properties: subject },
    action: { name: e.operation, properties: e.action },
    resource: { type: e.type, id: e.id, properties: e.resource },
    context: {
      write: { system: e.system, field: e.field, value: e.value },
      authority: { found: e.found, value: e.authority, source: e.source },
      required_controls: e.controls,
      control_evidence: e.items,
      workflow_id: e.workflow,
      channel: e.channel,
      ip: '10.0.0.1',
    },
  });
}

function asIntent(e: Evaluation) {
  const subject = { ...e.subject, ...(e.actor === undefined ? {} : { act: { sub: e.actor } }) };
  return clean({
    system: e.system ?? 'authzen',
    objectType: e.type,
    objectRef: e.id,
    operation: e.operation,
    field: e.field,
    agentValue: e.value,
    authorityFound: e.found,
    authorityValue: e.authority,
    authoritySource: e.source,
    requiredControls: e.controls,
    controlEvidence: e.items,
    workflowId: e.workflow,
    metadata: {
      agent: typeof e.actor === 'string' ? e.actor : 'ada',
      context: {
        subject: { type: 'user', id: 'ada', ...ifAny('properties', subject) },
        ...ifAny('resource', ifAny('properties', e.resource)),
        ...ifAny('action', ifAny('properties', e.action)),
        ...ifAny('request', e.channel === undefined ? {} : { channel: e.channel }),
      },
    },
  });
}

test('one decision requested in three ways has the same outcome, code and digest', async () => {
  const seen = new Set<string>();
  const post = async (path: string, json: unknown) => {
    const { status, body, text } = await ask(`${service.url}${path}`, { key: service.liveKey, json });
    expect(status, text).toBe(200);
    return body;
  };
  await fc.assert(
    fc.asyncProperty(evaluation, async (e) => {
      const [intent, request] = [asIntent(e), asAuthzen(e)];
      const native = await post('/v1/check-write', intent);
      const single = await post('/access/v1/evaluation', request);
      const { evaluations } = await post('/access/v1/evaluations', {
        ...request,
        evaluations: [{}, request],
      });
      seen.add(`${native.decision} ${native.reason_code}`);
      for (const { decision, context } of [single, ...evaluations]) {
        expect(decision).toBe(native.allowed);
        expect([context.decision, context.reason_code, context.intent_digest, context.observed]).toEqual([
          native.decision,
          native.reason_code,
          native.intentDigest,
          native.decision === 'allow' && native.evaluatedDecision !== 'allow',
        ]);
        expect(context.remediation).toEqual(native.remediation);
        expect(context.review?.controls).toEqual(native.review?.controls);
      }
    }),
    { numRuns: RUNS, seed: 34 },
  );
  // The property means nothing unless allows, pauses and blocks all occurred.
  for (const decision of ['allow', 'pause', 'block'])
    expect(
      [...seen].some((each) => each.startsWith(decision)),
      [...seen].join(),
    ).toBe(true);
});
