/** Impact runs over the wire, on both stores: what a report counts, and what is refused. */
import { DAY_MS } from '@writecheck/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, signUp } from '../ask.ts';
import { type ImpactKit, openImpactKit, overBothStores, runIn } from './impact-kit.ts';

const PACK = {
  kind: 'ControlPack',
  id: 'core',
  controls: { identity: {}, approval: { assurance: 'attested' } },
};
function bank(members: object = {}) {
  return {
    kind: 'Profile',
    id: 'bank',
    version: '1',
    match: { system: 'erp', objectType: 'vendor', field: 'iban' },
    require: ['identity'],
    writePolicy: 'observe',
    ...members,
  };
}
const TERMS = {
  kind: 'Profile',
  id: 'terms',
  match: { system: 'erp', objectType: 'vendor', field: 'terms' },
  require: ['identity'],
};
const UNUSED = { ...TERMS, id: 'unused', match: { system: 'other' } };
const RUNNING = [PACK, bank(), TERMS, UNUSED];
const ENFORCING = [PACK, bank({ writePolicy: 'enforce' }), TERMS, UNUSED];

const PASS = { controlId: 'identity', source: 'okta', result: 'PASS' };
const FAIL = { ...PASS, result: 'FAIL' };
const FOUND = { authorityFound: true, authorityValue: 'x', agentValue: 'x' };
const iban = (ref: string, evidence: readonly object[] = []) => ({
  system: 'erp',
  objectType: 'vendor',
  objectRef: ref,
  field: 'iban',
  ...FOUND,
  requiredControls: evidence.length === 0 ? [] : ['identity'],
  controlEvidence: evidence,
});
const terms = (ref: string, evidence: readonly object[] = []) => ({ ...iban(ref, evidence), field: 'terms' });

const NOTHING = { decisions: 0, intents: 0, byCode: [], byRule: [], examples: [] };

overBothStores('impact runs', (settings) => {
  let kit: ImpactKit;
  beforeAll(async () => {
    kit = await openImpactKit(settings());
    await kit.apply([...RUNNING, { kind: 'Defaults', writePolicy: 'observe' }]);
    await kit.apply(RUNNING);
    // Ten writes that only observation lets through, five of them twice; then writes with the same decision
    // either way.
    for (let i = 0; i < 10; i += 1) await kit.check(iban(`V-${i}`));
    for (let i = 0; i < 5; i += 1) await kit.check({ ...iban(`V-${i}`), runId: 'again' });
    for (let i = 0; i < 4; i += 1) await kit.check(iban(`V-${20 + i}`, [PASS]));
    for (let i = 0; i < 3; i += 1) await kit.check(terms('T-1'));
    await kit.check(terms('T-2', [FAIL]));
    await kit.check(iban('V-1'), kit.service.developmentKey);
  });
  afterAll(() => kit.close());

  test('a run counts what a candidate would change, in the published shape, and changes nothing', async () => {
    const before = await kit.service.store.logs();
    const reply = await kit.call('POST', '/v1/policies/impact', { documents: ENFORCING });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    const { progress, report } = runIn(reply.text);
    expect(progress[0]).toEqual({ done: 0, total: expect.any(Number) });
    expect(progress.at(-1)).toEqual({ done: 23, total: 23 });
    expect(report).toEqual({
      coverage: {
        decisions: 23,
        replayed: 23,
        notReplayed: { pruned: 0, version: 0, evidence: 0, frozen: 0, facts: 0 },
      },
      matrix: {
        decisions: {
          allow: { allow: 4, pause: 15, block: 0 },
          pause: { allow: 0, pause: 3, block: 0 },
          block: { allow: 0, pause: 0, block: 1 },
        },
        intents: {
          allow: { allow: 4, pause: 10, block: 0 },
          pause: { allow: 0, pause: 1, block: 0 },
          block: { allow: 0, pause: 0, block: 1 },
        },
      },
      newlyStopped: {
        decisions: 15,
        intents: 10,
        byCode: [{ code: 'CONTROL_EVIDENCE_MISSING', decisions: 15, intents: 10 }],
        byRule: [{ rule: 'profile:bank', decisions: 15, intents: 10 }],
        examples: expect.any(Array),
      },
      newlyAllowed: NOTHING,
      uncovered: [],
      rules: [
        { rule: 'profile:bank', applied: 19, decided: 15 },
        { rule: 'profile:terms', applied: 4, decided: 4 },
        { rule: 'profile:unused', applied: 0, decided: 0 },
      ],
    });
    expect(report.newlyStopped.examples).toHaveLength(10);
    expect(report.newlyStopped.examples[0]).toEqual({
      decision_id: kit.decided[14],
      before: { decision: 'allow', reason_code: 'CONTROL_EVIDENCE_MISSING' },
      after: { decision: 'pause', reason_code: 'CONTROL_EVIDENCE_MISSING' },
    });
    expect(await kit.service.store.logs()).toEqual(before);
    expect((await kit.call('GET', '/v1/policies')).body.revision).toBe(2);
  });

  test('the running bundle changes nothing, and development keys count if that is asked for', async () => {
    const { report } = await kit.run({ current: true, includeDevelopment: true });
    expect(report.coverage).toMatchObject({ decisions: 24, replayed: 24 });
    expect([report.newlyStopped, report.newlyAllowed]).toEqual([NOTHING, NOTHING]);
    const { allow, pause, block } = report.matrix.decisions;
    expect([allow.allow, pause.pause, block.block]).toEqual([20, 3, 1]);
  });

  test('a revision, a system and a range narrow it', async () => {
    expect((await kit.run({ revision: 2 })).report.coverage.decisions).toBe(23);
    expect((await kit.run({ current: true, system: 'crm' })).report.coverage.decisions).toBe(0);
    expect((await kit.run({ current: true, system: 'erp' })).report.coverage.decisions).toBe(23);
    const range = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00+01:00' };
    const { progress, report } = await kit.run({ current: true, ...range });
    expect(progress.at(-1)).toEqual({ done: 0, total: 0 });
    expect(report.coverage.decisions).toBe(0);
    // A range that UTC cannot name.
    const all = { from: '0000-01-01T00:00:00+23:59', to: '9999-12-31T23:59:59.9999-23:59' };
    expect((await kit.run({ current: true, ...all })).report.coverage.decisions).toBe(23);
  });

  test('another workspace sees none of it', async () => {
    const other = await signUp(kit.service);
    const reply = await kit.call('POST', '/v1/policies/impact', { current: true }, other.ownerKey);
    expect(runIn(reply.text).report.coverage.decisions).toBe(0);
  });

  test('bad input is refused with its place', async () => {
    const failing = {
      kind: 'PolicyTest',
      id: 'fails',
      intent: iban('V-1'),
      now: '2026-01-01T00:00:00Z',
      expect: { decision: 'allow' },
    };
    const refused: readonly (readonly [object, number, string])[] = [
      [{}, 422, 'invalid_request'],
      [{ current: true, revision: 1 }, 422, 'invalid_request'],
      [{ current: false }, 422, 'invalid_request'],
      [{ current: true, sytem: 'erp' }, 422, 'invalid_request'],
      [{ current: true, baseline: 'running' }, 422, 'invalid_request'],
      [{ current: true, from: '2026-01-01' }, 422, 'invalid_request'],
      [{ current: true, from: '2026-01-01T00:00:00' }, 422, 'invalid_request'],
      [{ current: true, from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' }, 422, 'invalid_request'],
      [{ current: true, from: '2999-01-02T00:00:00Z' }, 422, 'invalid_request'],
      [{ revision: 99 }, 404, 'not_found'],
      [{ revision: 0 }, 404, 'not_found'],
      [{ revision: -1 }, 404, 'not_found'],
      [{ revision: Number.MAX_SAFE_INTEGER }, 404, 'not_found'],
      [{ revision: 1.5 }, 422, 'invalid_request'],
      [{ revision: '1' }, 422, 'invalid_request'],
      [{ documents: [{ kind: 'Profile' }] }, 422, 'invalid_policy'],
      [{ documents: [...ENFORCING, failing] }, 422, 'invalid_policy'],
    ];
    for (const [body, status, code] of refused) {
      const reply = await kit.call('POST', '/v1/policies/impact', body);
      expect([reply.status, reply.body?.error?.code], JSON.stringify(body)).toEqual([status, code]);
    }
    const checking = await kit.call('POST', '/v1/policies/impact', { current: true }, kit.service.liveKey);
    expect([checking.status, checking.body.error.code]).toEqual([403, 'insufficient_scope']);
  });

  test('names what stopped the writes that a looser candidate would allow', async () => {
    const intent = { system: 'hris', objectType: 'person', operation: 'person.update' };
    const asks = {
      kind: 'Profile',
      id: 'asks',
      match: { system: 'hris' },
      require: ['identity', 'approval'],
    };
    await kit.apply([PACK, asks]);
    for (const objectRef of ['P-1', 'P-1', 'P-2']) await kit.check({ ...intent, objectRef });
    const permit = { kind: 'Profile', id: 'permit', match: { system: 'hris' }, permit: true };
    const { report } = await kit.run({ documents: [permit], system: 'hris' });
    expect(report.newlyAllowed).toMatchObject({
      ...{ decisions: 3, intents: 2 },
      byCode: [{ code: 'CONTROL_EVIDENCE_MISSING', decisions: 3, intents: 2 }],
      byRule: [{ rule: 'profile:asks', decisions: 3, intents: 2 }],
    });
    expect(report.newlyAllowed.examples[1]).toMatchObject({
      before: { decision: 'pause', reason_code: 'CONTROL_EVIDENCE_MISSING' },
      after: { decision: 'allow', reason_code: 'requirements_met' },
    });
    expect(report.newlyStopped).toEqual(NOTHING);
  });

  test('lists the kinds of writes that no rule of the candidate covers, also if a rule observes them', async () => {
    const observing = { kind: 'Profile', id: 'hr', match: { system: 'hris' }, require: ['identity'] };
    const { report } = await kit.run({ documents: [PACK, TERMS, { ...observing, writePolicy: 'observe' }] });
    expect(report.uncovered).toEqual([
      { system: 'erp', objectType: 'vendor', field: 'iban', operation: null, decisions: 19 },
      { system: 'hris', objectType: 'person', field: null, operation: 'person.update', decisions: 3 },
    ]);
  });

  test('counts an idempotent replay as none, and leaves out what a freeze stopped', async () => {
    const { url, liveKey, ownerKey } = kit.service;
    const intent = { system: 'wiki', operation: 'page.update', requiredControls: ['identity'] };
    const once = () =>
      ask(`${url}/v1/check-write`, { key: liveKey, json: intent, headers: { 'idempotency-key': 'once' } });
    for (let i = 0; i < 3; i += 1) expect((await once()).status).toBe(200);
    const scope = { system: 'wiki' };
    const frozen = await ask(`${url}/v1/freezes`, { key: ownerKey, json: { scope, reason: 'wrong pages' } });
    expect(frozen.status, frozen.text).toBe(201);
    expect((await kit.check(intent)).body.reason_code).toBe('frozen');
    const { coverage } = (await kit.run({ current: true, system: 'wiki' })).report;
    expect(coverage).toMatchObject({ decisions: 2, replayed: 1, notReplayed: { frozen: 1 } });
  });

  test('goes back seven days unless told otherwise', async () => {
    kit.nowMs += 7 * DAY_MS;
    await kit.check({ system: 'late', operation: 'x', requiredControls: ['identity'] });
    kit.nowMs += 1;
    expect((await kit.run({ current: true })).report.coverage.decisions).toBe(1);
    const from = new Date(kit.nowMs - 8 * DAY_MS).toISOString();
    expect((await kit.run({ current: true, from })).report.coverage.decisions).toBeGreaterThan(20);
  });
});
