/** Regenerates the report and the assessment in docs/impact.md: three agents, thirty days, one observing rule. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS } from '@writecheck/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assessmentText, impactText } from '../../../cli/src/policy/impact-text.ts';
import { type ImpactKit, openImpactKit } from './impact-kit.ts';

const START_MS = Date.UTC(2026, 9, 1, 8);
const DAYS = 30;
const AGENTS = ['ap-bot', 'treasury-agent', 'onboarding-agent'] as const;
type Agent = (typeof AGENTS)[number];

const PROFILE = { kind: 'Profile', version: '1', controlPack: 'core' };
const bundle = (writePolicy: 'observe' | 'enforce') => [
  { kind: 'ControlPack', id: 'core', version: '1', controls: { identity: {}, callback: {} } },
  {
    ...{ ...PROFILE, id: 'vendor-bank-details', require: ['identity', 'callback'], writePolicy },
    match: { system: 'erp', objectType: 'vendor', field: 'iban' },
  },
  {
    ...{ ...PROFILE, id: 'vendor-terms', require: ['identity'] },
    match: { system: 'erp', objectType: 'vendor', field: 'terms' },
  },
];

function intentOf(agent: Agent, field: string, ref: string, passed: readonly string[], failed = false) {
  const evidence = passed.map((controlId) => ({ controlId, source: 'erp', result: 'PASS' }));
  return {
    ...{ system: 'erp', objectType: 'vendor', objectRef: ref, field, agentValue: `${field} of ${ref}` },
    ...{ authorityFound: true, authorityValue: `${field} of ${ref}`, metadata: { agent } },
    requiredControls: ['identity'],
    controlEvidence: failed ? [{ ...evidence[0], result: 'FAIL' }] : evidence,
  };
}

/** Treasury forgets the callback on three days of five, the onboarding agent twice in all. */
function forgetsCallback(agent: Agent, day: number): boolean {
  if (agent === 'treasury-agent') return day % 5 < 3;
  return agent === 'onboarding-agent' && day % 15 === 7;
}

let kit: ImpactKit;
beforeAll(async () => {
  kit = await openImpactKit({}, START_MS);
  await kit.apply(bundle('observe'));
  const keys = new Map<Agent, string>();
  for (const agent of AGENTS) {
    const made = await kit.call('POST', '/v1/keys', { kind: 'live', name: agent });
    keys.set(agent, made.body.secret);
  }
  for (let day = 0; day < DAYS; day += 1) {
    for (const [i, agent] of AGENTS.entries()) {
      kit.nowMs = START_MS + day * DAY_MS + (i + 1) * HOUR_MS;
      const place = `${day}-${i}`;
      const key = keys.get(agent)!;
      const ibans = Array.from({ length: 4 + ((day + i) % 2) }, (_, n) =>
        intentOf(agent, 'iban', `V-${place}-${n}`, ['identity', 'callback']),
      );
      const terms = Array.from({ length: 14 }, (_, n) =>
        intentOf(agent, 'terms', `T-${place}-${n}`, ['identity'], n === 0),
      );
      const sent = await kit.call('POST', '/v1/check-write/batch', { checks: [...ibans, ...terms] }, key);
      expect(sent.status, sent.text).toBe(200);
      if (!forgetsCallback(agent, day)) continue;
      const forgotten = intentOf(agent, 'iban', `V-${place}-x`, ['identity']);
      const { body } = await kit.check(forgotten, key);
      // One write is sent again after a lost response; one is never carried out.
      if (day === 0) await kit.check(forgotten, key);
      if (day === 2) continue;
      const { decision_id, intentDigest } = body;
      const redeemed = await kit.call('POST', `/v1/decisions/${decision_id}/redeem`, { intentDigest }, key);
      expect(redeemed.status, redeemed.text).toBe(200);
    }
  }
  kit.nowMs = START_MS + DAYS * DAY_MS;
});
afterAll(() => kit.close());

const page = readFileSync(join(import.meta.dirname, '../../../../docs/impact.md'), 'utf8');
const masked = (text: string) =>
  text.replaceAll(/\b(dec|imp|asm)_[0-9a-f]{32}/g, '$1_…').replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:…');

test('the page shows the report of this company', async () => {
  const { run, report } = await kit.run({ documents: bundle('enforce') });
  expect(page).toContain(masked(impactText(run, report)));
});

test('the page shows the assessment of this company', async () => {
  const { body } = await kit.call('POST', '/v1/policies/promotions', { profile: 'vendor-bank-details' });
  expect(page).toContain(masked(assessmentText(body.assessment)));
});
