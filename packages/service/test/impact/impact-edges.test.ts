/** Impact runs at their edges: pruning, cancelling, a restart, and a profile that has earned its promotion. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '@writecheck/contract';
import type { Store } from '@writecheck/store/port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countPrunable, erase } from '../../../store/test/erase.ts';
import { ask } from '../ask.ts';
import { APPROVAL_ONCE, approved } from '../check-kit.ts';
import { startTestService } from '../start-service.ts';
import { type ImpactKit, openImpactKit, overBothStores } from './impact-kit.ts';

const PASS = { controlId: 'identity', source: 'okta', result: 'PASS' };
const OBSERVING = {
  kind: 'Profile',
  id: 'bank',
  match: { system: 'erp', objectType: 'vendor' },
  require: ['identity'],
  writePolicy: 'observe',
};
const TERMS = { kind: 'Profile', id: 'terms', match: { system: 'erp' }, require: ['identity'] };

function write(ref: string, evidence: readonly object[] = [PASS]) {
  return {
    ...{ system: 'erp', objectType: 'vendor', objectRef: ref, field: 'iban' },
    ...{ agentValue: 'x', authorityValue: 'x', authorityFound: true, controlEvidence: evidence },
  };
}

overBothStores('pruned decisions', (settings) => {
  let kit: ImpactKit;
  beforeAll(async () => {
    kit = await openImpactKit(settings());
  });
  afterAll(() => kit.close());

  test('are counted by day, and not replayed', async () => {
    await kit.apply([TERMS]);
    const startMs = kit.nowMs;
    for (const [days, count] of [
      [0, 3],
      [1, 2],
      [2, 4],
    ] as const) {
      kit.nowMs = startMs + days * DAY_MS;
      for (let i = 0; i < count; i += 1) await kit.check(write(`V-${days}-${i}`));
    }
    await erase(kit.service.store, { beforeMs: startMs + 2 * DAY_MS - 1 });
    const { report, run } = await kit.run({ current: true, system: 'crm' });
    expect(report.coverage).toEqual({
      decisions: 5,
      replayed: 0,
      notReplayed: { pruned: 5, version: 0, frozen: 0, signature: 0, use: 0, review: 0, facts: 0 },
    });
    expect(run.progress).toEqual({ done: 5, total: 5 });
    const later = await kit.run({ current: true, from: new Date(startMs + DAY_MS).toISOString() });
    expect(later.report.coverage).toMatchObject({ decisions: 6, replayed: 4, notReplayed: { pruned: 2 } });
    // Counting only changes nothing.
    await countPrunable(kit.service.store, { beforeMs: Date.now() });
    expect((await kit.run({ current: true })).report.coverage).toMatchObject({ decisions: 9, replayed: 4 });
  });
});

describe('a run that ends early', () => {
  test('stays cancelled, without a digest', async () => {
    const kit = await openImpactKit();
    await kit.check(write('V-1'));
    const { run } = (await kit.call('POST', '/v1/policies/impact', { current: true })).body;
    const cancelled = await kit.call('DELETE', `/v1/policies/impact/${run.id}`);
    expect(cancelled.body.run).toMatchObject({
      state: 'cancelled',
      digest: null,
      finishedAt: expect.any(String),
    });
    expect((await kit.run({ current: true })).run.state).toBe('done');
    const after = await kit.call('GET', `/v1/policies/impact/${run.id}`);
    expect(after.body.run).toEqual(cancelled.body.run);
    expect(Object.keys(after.body.report)).toEqual([
      'coverage',
      'matrix',
      'newlyStopped',
      'newlyAllowed',
      'rules',
      'approximate',
    ]);
    expect(await kit.entries('impact')).toHaveLength(1);
    await kit.close();
  });

  test('fails when the service stops, says why, and makes room for another', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'writecheck-impact-'));
    // The run never gets beyond its first step.
    const stuck = (store: Store): Store => ({ ...store, countDecisions: () => new Promise(() => undefined) });
    const first = await startTestService({ folder, throughStore: stuck });
    const started = await ask(`${first.url}/v1/policies/impact`, {
      key: first.ownerKey,
      json: { current: true },
    });
    expect(started.status).toBe(202);
    await first.stop();
    const second = await startTestService({ folder });
    const url = `${second.url}/v1/policies/impact`;
    const seen = await ask(`${url}/${started.body.run.id}`, { key: first.ownerKey });
    expect(seen.body.run).toMatchObject({
      state: 'failed',
      because: expect.stringContaining('start it again'),
      finishedAt: expect.any(String),
      digest: null,
    });
    expect((await ask(url, { key: first.ownerKey, json: { current: true } })).status).toBe(202);
    await second.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('fails once nobody renews its lease, as after a kill', async () => {
    const kit = await openImpactKit();
    const { store, workspace } = kit.service;
    const run = {
      ...{ workspace, id: `imp_${'1'.repeat(32)}`, startedAtMs: Date.now() },
      ...{ settings: '{}', done: 3, total: 9, report: '{}' },
    };
    expect(await store.startRun(run, 60_000)).toEqual({ kind: 'started' });
    expect(await store.keepRun(workspace, run.id, run, -1)).toBe(true);
    const other = { ...run, id: `imp_${'2'.repeat(32)}` };
    await expect.poll(() => store.startRun(other, 60_000)).toEqual({ kind: 'started' });
    expect(await store.findRun(workspace, run.id)).toMatchObject({ state: 'failed', done: 3, digest: null });
    await kit.close();
  });
});

describe('a profile that has earned it', () => {
  let kit: ImpactKit;
  beforeAll(async () => {
    kit = await openImpactKit({}, Date.now() - 20 * DAY_MS);
  });
  afterAll(() => kit.close());

  test('is promoted on the requests of live keys since it observes in its present form', async () => {
    await kit.apply([{ ...OBSERVING, version: '0' }, TERMS]);
    // Does not count, because the profile was a different one then.
    await kit.check(write('old', []));
    kit.nowMs += DAY_MS;
    await kit.apply([OBSERVING, TERMS]);
    const sinceMs = kit.nowMs;
    kit.nowMs += DAY_MS;
    // Another document changes, the profile does not.
    await kit.apply([OBSERVING, { ...TERMS, version: '2' }]);
    for (let batch = 0; batch < 3; batch += 1) {
      kit.nowMs += 3 * DAY_MS;
      const checks = Array.from({ length: 40 }, (_, i) => write(`B-${batch}-${i}`));
      const sent = await kit.call('POST', '/v1/check-write/batch', { checks }, kit.service.liveKey);
      expect(sent.status).toBe(200);
    }
    await kit.check(write('D-1', []), kit.service.developmentKey);
    kit.nowMs += 1;
    const reply = await kit.call('POST', '/v1/policies/promotions', { profile: 'bank', apply: true });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body.assessment).toMatchObject({
      verdict: 'ready',
      reasons: [],
      status: 'promoted',
      version: null,
      observingSince: new Date(sinceMs).toISOString(),
      decisions: 120,
      stopped: { decisions: 0, share: 0, redeemed: 0, approved: 0, byCode: [] },
      byKey: [{ name: 'live', decisions: 120, stopped: 0 }],
    });
    expect(reply.body.applied.revision).toBe(4);
    const decided = await kit.check(write('after'));
    const provenance = decided.body.requirementProvenance[0];
    expect(provenance.diagnosePromotion).toEqual({
      source: 'observe',
      assessmentRef: reply.body.assessment.id,
      runRef: reply.body.assessment.runRef,
      promotedAt: reply.body.assessment.assessedAt,
      promotedBy: expect.stringMatching(/^key_/),
      status: 'promoted',
    });
  });
});

describe('what an observing profile would have stopped', () => {
  test('counts a write once a day, for the key that asked first, with its outcome', async () => {
    const kit = await openImpactKit({}, Date.parse('2026-11-10T08:00:00.000Z'));
    await kit.apply([
      { ...OBSERVING, require: ['approval'] },
      { kind: 'Profile', id: 'permit', match: { system: 'erp' }, permit: true },
    ]);
    const made = await kit.call('POST', '/v1/keys', { kind: 'live', name: 'second' });
    const allowed = await kit.check(write('V-1', []));
    expect(allowed.body).toMatchObject({ decision: 'allow', evaluatedDecision: 'pause' });
    await kit.check(write('V-1', []), made.body.secret);
    const redeemed = await kit.call(
      'POST',
      `/v1/decisions/${allowed.body.decision_id}/redeem`,
      { intentDigest: allowed.body.intentDigest },
      kit.service.liveKey,
    );
    expect(redeemed.status, redeemed.text).toBe(200);
    kit.nowMs += DAY_MS;
    await kit.check(write('V-1', []), made.body.secret);
    kit.nowMs += 1;
    const { assessment } = (await kit.call('POST', '/v1/policies/promotions', { profile: 'bank' })).body;
    expect(assessment).toMatchObject({
      decisions: 2,
      stopped: { decisions: 2, share: 1, redeemed: 1, approved: 0 },
      byKey: expect.arrayContaining([
        expect.objectContaining({ name: 'live', decisions: 1, stopped: 1 }),
        expect.objectContaining({ name: 'second', decisions: 1, stopped: 1 }),
      ]),
    });
    await kit.close();
  });

  test('counts a single-use attestation as used up, although observing uses nothing up', async () => {
    const kit = await openImpactKit();
    await kit.apply([...APPROVAL_ONCE, { ...OBSERVING, match: { system: 'crm' }, require: ['approval'] }]);
    const { workspace } = kit.service;
    const found = { authorityFound: true, authorityValue: 'ada@example.com', requiredControls: [] };
    const twice = approved(workspace, 'j-1', kit.nowMs, { ...found, objectRef: 'C-1' });
    const once = approved(workspace, 'j-2', kit.nowMs, { ...found, objectRef: 'C-2' });
    for (const intent of [twice, once, twice]) {
      const { body } = await kit.check(intent);
      expect(body).toMatchObject({ decision: 'allow', evaluatedDecision: 'allow' });
    }
    kit.nowMs += 1;
    const { assessment } = (await kit.call('POST', '/v1/policies/promotions', { profile: 'bank' })).body;
    expect(assessment).toMatchObject({
      decisions: 2,
      stopped: { decisions: 1, byCode: [{ code: 'CONTROL_EVIDENCE_UNTRUSTED', decisions: 1 }] },
    });
    await kit.close();
  });
});
