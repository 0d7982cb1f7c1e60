/** Impact runs at their edges: pruning, two at once, a caller who leaves, and a service that stops. */
import { DAY_MS } from '@writecheck/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countPrunable, erase } from '../../../store/test/erase.ts';
import { type ImpactKit, openImpactKit, overBothStores, runIn } from './impact-kit.ts';

const PASS = { controlId: 'identity', source: 'okta', result: 'PASS' };
const TERMS = { kind: 'Profile', id: 'terms', match: { system: 'erp' }, require: ['identity'] };

function write(ref: string) {
  return {
    ...{ system: 'erp', objectType: 'vendor', objectRef: ref, field: 'iban' },
    ...{ agentValue: 'x', authorityValue: 'x', authorityFound: true, controlEvidence: [PASS] },
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
    const { report, progress } = await kit.run({ current: true, system: 'crm' });
    expect(report.coverage).toEqual({
      decisions: 5,
      replayed: 0,
      notReplayed: { pruned: 5, version: 0, evidence: 0, frozen: 0, facts: 0 },
    });
    expect(progress.at(-1)).toEqual({ done: 5, total: 5 });
    const later = await kit.run({ current: true, from: new Date(startMs + DAY_MS).toISOString() });
    expect(later.report.coverage).toMatchObject({ decisions: 6, replayed: 4, notReplayed: { pruned: 2 } });
    // Counting only changes nothing.
    await countPrunable(kit.service.store, { beforeMs: Date.now() });
    expect((await kit.run({ current: true })).report.coverage).toMatchObject({ decisions: 9, replayed: 4 });
  });
});

describe('a run', () => {
  let kit: ImpactKit;
  let letGo: () => void = () => undefined;
  beforeAll(async () => {
    kit = await openImpactKit();
    await kit.check(write('V-1'));
  });
  afterAll(async () => {
    letGo();
    await kit.close();
  });

  /** Runs wait for their turn until `letGo` is called. */
  const holdRuns = () =>
    new Promise<void>((held) => {
      void navigator.locks.request('impact', () => {
        held();
        return new Promise<void>((resolve) => {
          letGo = resolve;
        });
      });
    });
  const started = (signal?: AbortSignal) =>
    fetch(`${kit.service.url}/v1/policies/impact`, {
      method: 'POST',
      headers: { authorization: `Bearer ${kit.service.ownerKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ current: true }),
      ...(signal && { signal }),
    });

  test('tells its progress while it waits for its turn, and refuses a second one of its workspace', async () => {
    await holdRuns();
    const first = await started();
    expect(first.status).toBe(200);
    const second = await kit.call('POST', '/v1/policies/impact', { current: true });
    expect([second.status, second.body.error.code]).toEqual([409, 'run_in_progress']);
    const reader = first.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let i = 0; i < 2; i += 1)
      expect(JSON.parse((await reader.read()).value!)).toEqual({ progress: { done: 0, total: 1 } });
    letGo();
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value;
    expect(runIn(rest).report.coverage.replayed).toBe(1);
    expect((await kit.run({ current: true })).report.coverage.replayed).toBe(1);
  });

  test('ends when its caller leaves, so that the next one can start', async () => {
    await holdRuns();
    const leaving = new AbortController();
    expect((await started(leaving.signal)).status).toBe(200);
    leaving.abort();
    const next = new AbortController();
    await expect.poll(async () => (await started(next.signal)).status).toBe(200);
    next.abort();
    letGo();
    await expect
      .poll(async () => (await kit.call('POST', '/v1/policies/impact', { current: true })).status)
      .toBe(200);
  });

  test('ends with an error if its log cannot be read, and says no more than that', async () => {
    const { store } = kit.service;
    const documents = [{ ...TERMS, id: 'another' }];
    const place = store.logPlace;
    Object.assign(store, { logPlace: { kind: 'sqlite', folder: '/nowhere/secret', archive: null } });
    const { text } = await kit.call('POST', '/v1/policies/impact', { documents });
    Object.assign(store, { logPlace: place });
    const last = JSON.parse(text.trimEnd().split('\n').at(-1)!);
    expect(last).toEqual({ error: { code: expect.any(String), message: expect.any(String) } });
    expect(text).not.toContain('secret');
    expect((await kit.run({ documents })).report.coverage.replayed).toBe(1);
  });

  test('ends with an error if the service stops', async () => {
    await holdRuns();
    const other = await openImpactKit();
    const response = await fetch(`${other.service.url}/v1/policies/impact`, {
      method: 'POST',
      headers: { authorization: `Bearer ${other.service.ownerKey}`, 'content-type': 'application/json' },
      body: '{"current":true}',
    });
    await other.close();
    const lines = (await response.text()).trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1)!)).toEqual({
      error: { code: 'overloaded', message: 'the service is stopping; start the run again' },
    });
    letGo();
  });
});
