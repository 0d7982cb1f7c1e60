/** Impact runs and promotions over the wire, on both stores. */
import { hash } from 'node:crypto';
import { canonicalJson, DAY_MS } from '@writecheck/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ImpactKit, openImpactKit, overBothStores } from './impact-kit.ts';

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
const WORKFLOW = { kind: 'Workflow', id: 'vendor-onboarding', require: ['identity'] };
const RUNNING = [PACK, bank(), TERMS, WORKFLOW];
const ENFORCING = [PACK, bank({ writePolicy: 'enforce' }), TERMS, WORKFLOW];

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

overBothStores('impact runs', (settings) => {
  let kit: ImpactKit;
  beforeAll(async () => {
    kit = await openImpactKit(settings());
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

  test('a run counts what a candidate would change, in the published shape', async () => {
    const started = await kit.call('POST', '/v1/policies/impact', { documents: ENFORCING });
    expect(started.status, started.text).toBe(202);
    expect(Object.keys(started.body.run)).toEqual([
      'id',
      'state',
      'progress',
      'startedAt',
      'finishedAt',
      'by',
      'candidate',
      'baseline',
      'from',
      'to',
      'system',
      'workflowId',
      'includeDevelopment',
      'because',
      'digest',
    ]);
    expect(started.body.run).toMatchObject({
      id: expect.stringMatching(/^imp_[0-9a-f]{32}$/),
      state: 'running',
      finishedAt: null,
      candidate: { digest: expect.stringMatching(/^sha256:/), revision: null },
      because: null,
      digest: null,
    });
    const { run, report } = await kit.finished(started.body.run.id);
    expect(run).toMatchObject({
      state: 'done',
      progress: { done: 23, total: 23 },
      by: { kind: 'owner_key', id: expect.stringMatching(/^key_/) },
      digest: `sha256:${hash('sha256', canonicalJson(report))}`,
    });
    expect(Date.parse(run.to) - Date.parse(run.from)).toBe(30 * DAY_MS);
    expect(report.coverage).toEqual({
      decisions: 23,
      replayed: 23,
      notReplayed: { pruned: 0, version: 0, frozen: 0, signature: 0, use: 0, review: 0, facts: 0 },
    });
    expect(report.matrix.decision).toEqual({
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
    });
    expect(report.matrix.evaluatedDecision.decisions).toEqual({
      allow: { allow: 4, pause: 0, block: 0 },
      pause: { allow: 0, pause: 18, block: 0 },
      block: { allow: 0, pause: 0, block: 1 },
    });
    expect(report.newlyStopped).toMatchObject({
      decisions: 15,
      intents: 10,
      share: 15 / 23,
      agents: 1,
      systems: 1,
      workflows: 0,
      objects: 10,
      byCode: [{ code: 'CONTROL_EVIDENCE_MISSING', decisions: 15, intents: 10 }],
      byProfile: [{ profile: 'bank', decisions: 15, intents: 10 }],
    });
    expect(report.newlyStopped.examples).toHaveLength(10);
    expect(report.newlyStopped.examples[0]).toEqual({
      decision_id: kit.decided[14],
      before: { decision: 'allow', reason_code: 'CONTROL_EVIDENCE_MISSING' },
      after: { decision: 'pause', reason_code: 'CONTROL_EVIDENCE_MISSING' },
      recorded: { decision: 'allow', reason_code: 'CONTROL_EVIDENCE_MISSING' },
    });
    expect(report.newlyAllowed).toEqual({
      ...{ decisions: 0, intents: 0, share: 0, agents: 0, systems: 0, workflows: 0, objects: 0 },
      ...{ byCode: [], byProfile: [], examples: [] },
      recorded: { allow: 0, pause: 0, block: 0 },
    });
    expect(report.rules).toEqual({
      profiles: [
        { id: 'bank', version: '1', applied: 19, decided: 15 },
        { id: 'terms', version: null, applied: 4, decided: 4 },
      ],
      workflows: [{ id: 'vendor-onboarding', applied: 0, decided: 0 }],
      controls: [
        { id: 'approval', applied: 0, decided: 0 },
        { id: 'identity', applied: 23, decided: 19 },
      ],
    });
    expect(report.approximate).toBe(false);
    const listed = await kit.call('GET', '/v1/policies/impact');
    expect(listed.body.runs[0]).toEqual(run);
    const cancelled = await kit.call('DELETE', `/v1/policies/impact/${run.id}`);
    expect([cancelled.status, cancelled.body.run]).toEqual([200, run]);
    expect(await kit.entries('impact')).toContainEqual({
      kind: 'impact',
      log: expect.any(String),
      workspace: kit.service.workspace,
      timestamp: run.finishedAt,
      run: run.id,
      candidate: run.candidate.digest,
      reportDigest: run.digest,
    });
  });

  test('the running bundle changes nothing, against itself and against the recorded decisions', async () => {
    for (const baseline of ['running', 'recorded']) {
      const { report } = await kit.run({ current: true, baseline, includeDevelopment: true });
      expect(report.coverage).toMatchObject({ decisions: 24, replayed: 24 });
      expect(report.newlyStopped.decisions + report.newlyAllowed.decisions).toBe(0);
      const { allow, pause, block } = report.matrix.decision.decisions;
      expect([allow.allow, pause.pause, block.block]).toEqual([20, 3, 1]);
    }
  });

  test('a revision, a system, a workflow and a range narrow it', async () => {
    const byRevision = await kit.run({ revision: 1 });
    expect(byRevision.run.candidate.revision).toBe(1);
    expect((await kit.run({ current: true, system: 'crm' })).report.coverage.decisions).toBe(0);
    expect((await kit.run({ current: true, system: 'erp' })).report.coverage.decisions).toBe(23);
    expect((await kit.run({ current: true, workflowId: 'w' })).report.coverage.decisions).toBe(0);
    const empty = await kit.run({
      current: true,
      from: '2020-01-01T00:00:00Z',
      to: '2020-01-02T00:00:00+01:00',
    });
    expect(empty.run).toMatchObject({ state: 'done', progress: { done: 0, total: 0 } });
    expect(empty.report.coverage.decisions).toBe(0);
  });

  test('a range beyond the dates that UTC can name is shown clipped to them', async () => {
    const { run, report } = await kit.run({
      current: true,
      from: '0000-01-01T00:00:00+23:59',
      to: '9999-12-31T23:59:59.9999-23:59',
    });
    expect([run.from, run.to]).toEqual(['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']);
    expect(report.coverage.decisions).toBe(23);
  });

  test('a range may be finer than a millisecond', async () => {
    const [first] = (await kit.call('GET', '/v1/decisions?limit=1')).body.decisions;
    const at = (digits: string) => first.timestamp.replace('Z', `${digits}Z`);
    const decisions = async (from: string, to: string) =>
      (await kit.run({ current: true, from: at(from), to: at(to), includeDevelopment: true })).report.coverage
        .decisions;
    expect(await decisions('', '0001')).toBe(1);
    expect(await decisions('0001', '9')).toBe(0);
    expect(await decisions('0001', '0002')).toBe(0);
  });

  test('invalid input is refused with a message, and no run starts', async () => {
    const before = (await kit.call('GET', '/v1/policies/impact')).body.runs.length;
    const refused: readonly (readonly [object, number, string])[] = [
      [{}, 422, 'invalid_request'],
      [{ current: true, revision: 1 }, 422, 'invalid_request'],
      [{ current: false }, 422, 'invalid_request'],
      [{ current: true, sytem: 'erp' }, 422, 'invalid_request'],
      [{ current: true, baseline: 'other' }, 422, 'invalid_request'],
      [{ current: true, from: '2026-01-01' }, 422, 'invalid_request'],
      [{ current: true, from: '2026-01-01T00:00:00' }, 422, 'invalid_request'],
      [{ current: true, from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' }, 422, 'invalid_request'],
      [{ current: true, from: '2999-01-02T00:00:00Z' }, 422, 'invalid_request'],
      [
        { current: true, from: '2026-01-02T00:00:00.0005Z', to: '2026-01-02T00:00:00.0001Z' },
        422,
        'invalid_request',
      ],
      [{ revision: 99 }, 404, 'not_found'],
      [{ revision: 0 }, 404, 'not_found'],
      [{ revision: -1 }, 404, 'not_found'],
      [{ revision: Number.MAX_SAFE_INTEGER }, 404, 'not_found'],
      [{ revision: 1.5 }, 422, 'invalid_request'],
      [{ revision: '1' }, 422, 'invalid_request'],
      [{ documents: [{ kind: 'Profile' }] }, 422, 'invalid_policy'],
      [
        {
          documents: [
            ...ENFORCING,
            {
              kind: 'PolicyTest',
              id: 'fails',
              intent: iban('V-1'),
              now: '2026-01-01T00:00:00Z',
              expect: { decision: 'allow' },
            },
          ],
        },
        422,
        'invalid_policy',
      ],
    ];
    for (const [body, status, code] of refused) {
      const reply = await kit.call('POST', '/v1/policies/impact', body);
      expect([reply.status, reply.body.error?.code], JSON.stringify(body)).toEqual([status, code]);
    }
    const checking = await kit.call('POST', '/v1/policies/impact', { current: true }, kit.service.liveKey);
    expect([checking.status, checking.body.error.code]).toEqual([403, 'insufficient_scope']);
    expect((await kit.call('GET', '/v1/policies/impact/imp_1')).status).toBe(404);
    expect((await kit.call('GET', '/v1/policies/impact')).body.runs).toHaveLength(before);
  });

  test('a workspace has one run at a time, and a run without a renewed lease fails', async () => {
    const { store, workspace } = kit.service;
    const settings = (await kit.call('GET', '/v1/policies/impact')).body.runs[0];
    const report = JSON.stringify({});
    const id = `imp_${'0'.repeat(32)}`;
    const held = {
      workspace,
      id,
      startedAtMs: Date.now(),
      settings: JSON.stringify(settings),
      done: 1,
      total: 2,
      report,
    };
    expect(await store.startRun(held, 60_000)).toEqual({ kind: 'started' });
    const refused = await kit.call('POST', '/v1/policies/impact', { current: true });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'run_in_progress']);
    expect(JSON.stringify(refused.body.error.details)).toContain(id);
    expect(await store.keepRun(workspace, id, { done: 1, total: 2, report }, -1)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const lapsed = await kit.call('GET', `/v1/policies/impact/${id}`);
    expect(lapsed.body.run).toMatchObject({
      state: 'failed',
      progress: { done: 1, total: 2 },
      because: expect.stringContaining('stopped'),
      digest: null,
    });
    expect(await store.keepRun(workspace, id, { done: 2, total: 2, report }, 60_000)).toBe(false);
    expect((await kit.run({ current: true })).run.state).toBe('done');
    expect((await kit.call('GET', `/v1/policies/impact/${id}`)).body.run.state).toBe('failed');
  });
});

describe('promotions', () => {
  let kit: ImpactKit;
  beforeAll(async () => {
    kit = await openImpactKit({}, Date.now() - 10 * DAY_MS);
    await kit.apply(RUNNING);
  });
  afterAll(() => kit.close());

  test('a profile that has not earned it is assessed, not promoted, and can be forced', async () => {
    for (let i = 0; i < 5; i += 1) {
      await kit.check(iban(`P-${i}`));
      await kit.check(iban(`P-${i}`));
      await kit.check(iban(`Q-${i}`, [PASS]));
    }
    kit.nowMs += DAY_MS;
    const assessed = await kit.call('POST', '/v1/policies/promotions', { profile: 'bank' });
    expect(assessed.status, assessed.text).toBe(200);
    const { assessment, documents, ifMatch, applied } = assessed.body;
    expect(applied).toBeUndefined();
    expect(assessment).toMatchObject({
      verdict: 'not_ready',
      status: 'forced',
      reasons: [
        { code: 'days', have: 1, need: 7 },
        { code: 'decisions', have: 10, need: 100 },
        { code: 'stopped', have: 0.5, need: 0.05 },
      ],
      decisions: 10,
      stopped: {
        ...{ decisions: 5, share: 0.5, redeemed: 0, approved: 0 },
        byCode: [{ code: 'CONTROL_EVIDENCE_MISSING', decisions: 5 }],
      },
      byKey: [{ keyId: expect.stringMatching(/^key_/), name: 'live', decisions: 10, stopped: 5 }],
    });
    const { digest, ...rest } = assessment;
    expect(digest).toBe(`sha256:${hash('sha256', canonicalJson(rest))}`);
    expect(ifMatch).toBe((await kit.call('GET', '/v1/policies')).body.digest);
    const promoted = documents.find(({ id }: { id: string }) => id === 'bank');
    expect(promoted).toMatchObject({
      writePolicy: 'enforce',
      require: [
        {
          control: 'identity',
          promotedFrom: {
            source: 'observe',
            assessmentRef: assessment.id,
            runRef: assessment.runRef,
            promotedAt: assessment.assessedAt,
            promotedBy: expect.stringMatching(/^key_/),
            status: 'forced',
          },
        },
      ],
    });
    const again = await kit.call('GET', `/v1/policies/promotions/${assessment.id}`);
    expect(again.body).toEqual({ assessment });
    const run = await kit.call('GET', `/v1/policies/impact/${assessment.runRef}`);
    expect(run.body.run).toMatchObject({
      state: 'done',
      baseline: 'running',
      from: assessment.observingSince,
    });
    expect(await kit.entries('assessment')).toEqual([
      {
        kind: 'assessment',
        log: expect.any(String),
        workspace: kit.service.workspace,
        timestamp: run.body.run.finishedAt,
        assessment: assessment.id,
        profile: 'bank',
        run: assessment.runRef,
        assessmentDigest: digest,
      },
    ]);
    const refused = await kit.call('POST', '/v1/policies/promotions', { profile: 'bank', apply: true });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'promotion_not_earned']);
    expect(refused.body.error.details).toHaveLength(3);
    expect((await kit.call('GET', '/v1/policies')).body.revision).toBe(1);
  });

  test('of two concurrent promotions one succeeds, and from then on decisions say so', async () => {
    const asked = { profile: 'bank', apply: true, force: true, confirmLoosening: true };
    const both = await Promise.all([
      kit.call('POST', '/v1/policies/promotions', asked),
      kit.call('POST', '/v1/policies/promotions', asked),
    ]);
    const applied = both.filter(({ status }) => status === 200);
    expect(applied).toHaveLength(1);
    const loser = both.find(({ status }) => status !== 200)!;
    expect(['run_in_progress', 'revision_conflict', 'not_observing']).toContain(loser.body.error.code);
    expect((await kit.call('GET', '/v1/policies')).body.revision).toBe(2);
    const { assessment, applied: revision } = applied[0]!.body;
    const run = await kit.call('GET', `/v1/policies/impact/${assessment.runRef}`);
    expect(run.body.run.candidate.digest).toBe(revision.digest);
    const decided = await kit.check(iban('P-9'));
    expect(decided.body).toMatchObject({ decision: 'pause' });
    expect(decided.body.requirementProvenance[0].diagnosePromotion).toMatchObject({
      assessmentRef: assessment.id,
      runRef: assessment.runRef,
      status: 'forced',
    });
    const over = await kit.call('POST', '/v1/policies/promotions', { profile: 'bank' });
    expect([over.status, over.body.error.code]).toEqual([409, 'not_observing']);
  });

  test('a promotion that is not possible is refused with a message', async () => {
    const refused: readonly (readonly [object, number, string])[] = [
      [{ profile: 'nobody' }, 404, 'not_found'],
      [{ profile: 'terms' }, 409, 'not_observing'],
      [{ profile: 'bank', maxStopped: 1.5 }, 422, 'invalid_request'],
      [{ profile: 'bank', minDays: -1 }, 422, 'invalid_request'],
      [{ profile: 'bank', minDecisions: 0.5 }, 422, 'invalid_request'],
      [{ profile: 'bank', force: true }, 422, 'invalid_request'],
      [{}, 422, 'invalid_request'],
    ];
    for (const [body, status, code] of refused) {
      const reply = await kit.call('POST', '/v1/policies/promotions', body);
      expect([reply.status, reply.body.error?.code], JSON.stringify(body)).toEqual([status, code]);
    }
    expect((await kit.call('GET', '/v1/policies/promotions/asm_1')).status).toBe(404);
  });
});
