/** What a run counts, for how long its report is kept, and when a promotion is refused. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '@writecheck/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { type ImpactKit, openImpactKit, overBothStores } from './impact-kit.ts';

const TERMS = {
  kind: 'Profile',
  id: 'terms',
  match: { system: 'erp', objectType: 'vendor' },
  require: ['identity'],
};
const WATCH = { kind: 'Profile', id: 'watch', match: { system: 'erp', objectType: 'vendor' } };
const OBSERVING = { ...WATCH, require: ['callback'], writePolicy: 'observe' };
const PACK = {
  kind: 'ControlPack',
  id: 'core',
  controls: { callback: { assurance: 'attested', review: { identity: 'any' } } },
};
const PASS = { controlId: 'identity', source: 'okta', result: 'PASS' };

function write(objectRef: string, members: object = {}) {
  return {
    ...{ system: 'erp', objectType: 'vendor', objectRef, operation: 'vendor.update' },
    ...{ controlEvidence: [PASS], ...members },
  };
}

describe('a run', () => {
  let kit: ImpactKit;
  beforeAll(async () => {
    kit = await openImpactKit();
    await kit.apply([TERMS]);
  });
  afterAll(() => kit.close());

  test('counts a batch as its decisions, and an idempotent replay as none', async () => {
    const { url, liveKey } = kit.service;
    const headers = { 'idempotency-key': 'once' };
    for (let i = 0; i < 3; i += 1)
      expect((await ask(`${url}/v1/check-write`, { key: liveKey, json: write('V-1'), headers })).status).toBe(
        200,
      );
    const checks = [write('V-2'), write('V-3', { controlEvidence: [] })];
    await kit.call('POST', '/v1/check-write/batch', { checks }, liveKey);
    const { report } = await kit.run({ current: true });
    expect(report.coverage).toMatchObject({ decisions: 3, replayed: 3 });
  });

  test('names what stopped the writes that a looser candidate would allow, by agent', async () => {
    const agents = [{ metadata: { agent: 'a' } }, { metadata: { agent: 'b' } }];
    for (const members of agents) await kit.check(write('V-4', { controlEvidence: [], ...members }));
    const permit = { ...WATCH, id: 'permit', permit: true };
    const { report } = await kit.run({ documents: [permit] });
    expect(report.newlyAllowed).toMatchObject({
      decisions: 3,
      intents: 3,
      share: 0.6,
      // Two by name, and the key of the one that has no name.
      ...{ agents: 3, systems: 1, workflows: 0, objects: 2 },
      byCode: [{ code: 'CONTROL_EVIDENCE_MISSING', decisions: 3, intents: 3 }],
      byProfile: [{ profile: 'terms', decisions: 3, intents: 3 }],
    });
    expect(report.newlyAllowed.examples[0]).toMatchObject({
      before: { decision: 'pause', reason_code: 'CONTROL_EVIDENCE_MISSING' },
      after: { decision: 'allow', reason_code: 'requirements_met' },
    });
    expect(report.newlyStopped.decisions).toBe(0);
  });

  test('shows what changed since the recorded decisions, and nothing against the running bundle', async () => {
    await kit.apply([{ ...TERMS, require: ['identity', 'callback'] }]);
    const recorded = await kit.run({ current: true, baseline: 'recorded' });
    expect(recorded.report.newlyStopped).toMatchObject({
      decisions: 2,
      byCode: [{ code: 'CONTROL_EVIDENCE_MISSING', decisions: 2, intents: 2 }],
    });
    const running = await kit.run({ current: true });
    expect(running.report.newlyStopped.decisions).toBe(0);
  });

  test('keeps its report for 90 days only', async () => {
    const { run } = await kit.run({ current: true });
    const path = `/v1/policies/impact/${run.id}`;
    const finishedMs = Date.parse(run.finishedAt);
    kit.nowMs = finishedMs + 90 * DAY_MS - 1;
    expect((await kit.call('GET', path)).status).toBe(200);
    kit.nowMs += 1;
    expect((await kit.call('GET', path)).status).toBe(404);
    expect((await kit.call('DELETE', path)).status).toBe(404);
  });
});

overBothStores('a promotion', (settings) => {
  let kit: ImpactKit;
  beforeAll(async () => {
    kit = await openImpactKit(settings());
  });
  afterAll(() => kit.close());

  const promote = (members: object = {}, headers: Record<string, string> = {}) =>
    ask(`${kit.service.url}/v1/policies/promotions`, {
      ...{ key: kit.service.ownerKey, json: { profile: 'watch', ...members }, headers },
    });
  const applying = { apply: true, force: true };

  test('counts redeemed and approved writes', async () => {
    await kit.apply([PACK, TERMS, OBSERVING]);
    // The caller itself requires the control, so this one pauses; the digest is the same without it.
    const asking = await kit.check(write('V-1', { requiredControls: ['callback'] }));
    expect(asking.body.decision).toBe('pause');
    const { decision_id, intentDigest } = asking.body;
    const opened = await kit.call('POST', '/v1/reviews', { decision_id }, kit.service.liveKey);
    expect(opened.status, opened.text).toBe(201);
    const verdict = { verdict: 'approve', intentDigest };
    const decided = await kit.call('POST', `/v1/reviews/${opened.body.review.id}/verdicts`, verdict);
    expect(decided.status, decided.text).toBe(200);
    expect((await kit.check(write('V-1'))).body.decision).toBe('allow');
    const { body } = await kit.check(write('V-2'));
    const redeem = { intentDigest: body.intentDigest };
    const path = `/v1/decisions/${body.decision_id}/redeem`;
    expect((await kit.call('POST', path, redeem, kit.service.liveKey)).status).toBe(200);
    const { assessment } = (await promote()).body;
    expect(assessment).toMatchObject({ decisions: 2, stopped: { decisions: 2, redeemed: 1, approved: 1 } });
  });

  test('applies to the bundle that `If-Match` names, or not at all', async () => {
    const other = await promote(applying, { 'if-match': `"sha256:${'0'.repeat(64)}"` });
    expect([other.status, other.body.error.code]).toEqual([409, 'revision_conflict']);
  });

  test('does not wait for another run', async () => {
    const { store, workspace } = kit.service;
    const id = `imp_${'3'.repeat(32)}`;
    const run = { workspace, id, startedAtMs: kit.nowMs, settings: '{}', done: 0, total: 0, report: '{}' };
    expect(await store.startRun(run, 60_000)).toEqual({ kind: 'started' });
    const refused = await promote();
    expect([refused.status, refused.body.error.code]).toEqual([409, 'run_in_progress']);
    expect(await store.endRun(workspace, id, 'cancelled', null, kit.nowMs)).not.toBe(false);
  });

  test('that contradicts a test of the bundle, or that may loosen, applies nothing', async () => {
    const allowed = {
      ...{ kind: 'PolicyTest', id: 'stays', intent: write('V-9'), now: '2026-11-01T00:00:00Z' },
      expect: { decision: 'allow' },
    };
    await kit.apply([TERMS, OBSERVING, allowed]);
    const tested = await promote(applying);
    expect([tested.status, tested.body.error.code]).toEqual([422, 'invalid_policy']);
    await kit.apply([TERMS, { ...WATCH, permit: true, writePolicy: 'observe' }]);
    const loosening = await promote(applying);
    expect([loosening.status, loosening.body.error.code]).toEqual([409, 'loosening_unconfirmed']);
    expect((await promote({ ...applying, confirmLoosening: true })).status).toBe(200);
  });

  test('counts decisions of the last 90 days only, however long the profile has observed', async () => {
    await kit.apply([TERMS, OBSERVING]);
    const sinceMs = kit.nowMs;
    await kit.check(write('V-20'));
    kit.nowMs += 5 * DAY_MS;
    await kit.check(write('V-21'));
    kit.nowMs += 90 * DAY_MS;
    const { assessment } = (await promote()).body;
    expect(assessment).toMatchObject({ decisions: 1, observingSince: new Date(sinceMs).toISOString() });
    kit.nowMs += 1;
    const later = (await promote({ minDays: 95 })).body.assessment;
    expect([later.decisions, later.reasons]).toEqual([0, [{ code: 'decisions', have: 0, need: 100 }]]);
  });

  test('is too late once `observeUntil` is past', async () => {
    const observeUntil = new Date(kit.nowMs + DAY_MS).toISOString();
    await kit.apply([TERMS, { ...OBSERVING, observeUntil }]);
    const before = await promote();
    expect(before.status, before.text).toBe(200);
    const enforcing = before.body.documents.find(({ id }: { id: string }) => id === 'watch');
    expect(enforcing).not.toHaveProperty('observeUntil');
    expect(enforcing.require[0].promotedFrom.status).toBe('forced');
    kit.nowMs += DAY_MS;
    const after = await promote();
    expect([after.status, after.body.error.code]).toEqual([409, 'not_observing']);
  });
});

test('if a folder holds the policies, a promotion is assessed and not applied', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-policies-'));
  // JSON is YAML.
  const documents = [TERMS, OBSERVING].map((document) => JSON.stringify(document));
  writeFileSync(join(folder, 'policies.yaml'), documents.join('\n---\n'));
  const kit = await openImpactKit({ policies: folder });
  const body = { profile: 'watch' };
  await expect.poll(async () => (await kit.call('POST', '/v1/policies/promotions', body)).status).toBe(200);
  const applying = { ...body, apply: true, force: true };
  const applied = await kit.call('POST', '/v1/policies/promotions', applying);
  expect([applied.status, applied.body.error.code]).toEqual([409, 'managed_by_folder']);
  await kit.close();
});
