/** Erased records are gone for everybody, the response says so, and the log has a trace that nobody can leave out. */
import { parseEntry } from '@writecheck/ledger';
import { FORKED, ForkAlarm } from '@writecheck/store/append-guard';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { traceFound } from '../../../store/src/prune/trace-erasure.ts';
import { ERASURE, erase } from '../../../store/test/erase.ts';
import { ALLOWED, ask, check, signUp } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';
import { exportOf, verdictOf } from './audit-kit.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ settings: { signup: 'open' } });
});
afterAll(() => service.stop());

const decide = async (objectRef: string, agentValue = 'x', key = service.liveKey): Promise<string> =>
  (await check(service, { ...ALLOWED, objectRef, agentValue }, { key })).body.decision_id;
const read = async (id: string, key = service.ownerKey, part = '') => {
  const { status, body } = await ask(`${service.url}/v1/decisions/${id}${part}`, { key });
  return [status, body.error?.code ?? null];
};

async function erasures() {
  const { store } = service;
  const found = [];
  for (const { log } of await store.logs())
    for (const { entries } of await store.segments(log, 0, 1_000))
      for (const { leaf } of entries) {
        const entry = leaf.length === 0 ? null : parseEntry(leaf);
        if (entry?.kind === 'records.erased') found.push(entry);
      }
  return found;
}

test('an erased decision is 410 for those who could see it, 404 for any other key, and its neighbours stay', async () => {
  const { store, workspace, ownerKey, liveKey, url } = service;
  const [gone, stays] = [await decide('E-1'), await decide('E-2')];
  const stranger = await signUp(service);
  expect(await erase(store, { workspace, decisionIds: [gone!] })).toBe(1);
  for (const key of [ownerKey, liveKey]) {
    expect(await read(gone!, key)).toEqual([410, 'decision_erased']);
    expect(await read(gone!, key, '/receipt')).toEqual([410, 'decision_erased']);
  }
  expect(await read(gone!, stranger.ownerKey)).toEqual([404, 'not_found']);
  const other = await ask(`${url}/v1/keys`, { key: ownerKey, json: { kind: 'live', name: 'another' } });
  for (const part of ['', '/receipt'])
    expect(await read(gone!, other.body.secret, part)).toEqual([404, 'not_found']);
  expect(await read(stays!)).toEqual([200, null]);
  expect(await read(`dec_${'0'.repeat(32)}`)).toEqual([404, 'not_found']);
  const told = await ask(`${url}/v1/decisions/${gone}/outcome`, { key: liveKey, json: { result: 'done' } });
  const digest = `sha256:${'0'.repeat(64)}`;
  const redeemed = await ask(`${url}/v1/decisions/${gone}/redeem`, {
    key: liveKey,
    json: { intentDigest: digest },
  });
  expect([told.status, redeemed.status]).toEqual([404, 404]);
  // Whatever is invalid in the report.
  for (const json of [{ result: 'maybe' }, { result: 'done', at: '2020-01-01T00:00:00Z' }])
    expect((await ask(`${url}/v1/decisions/${gone}/outcome`, { key: liveKey, json })).status).toBe(404);
  const listed = await ask(`${url}/v1/decisions?objectRef=E-1`, { key: ownerKey });
  expect(listed.body.decisions).toEqual([]);
});

test('key, text and several criteria together select what they name, and the log names each', async () => {
  const { store, workspace, ownerKey, url } = service;
  const other = await ask(`${url}/v1/keys`, { key: ownerKey, json: { kind: 'live', name: 'other' } });
  const { id: keyId } = other.body.key;
  const theirs = await decide('K-1', 'Zoë', other.body.secret);
  const mine = await decide('K-1', 'ZOË');
  expect(await erase(store, { workspace, keyId, text: 'nobody' })).toBe(0);
  const before = (await erasures()).length;
  expect(await erase(store, { workspace, keyId, text: 'zoë' })).toBe(1);
  expect([await read(theirs), await read(mine)]).toEqual([
    [410, 'decision_erased'],
    [200, null],
  ]);
  expect(await erase(store, { workspace, text: 'zoë' })).toBe(1);
  const [first, second, ...more] = (await erasures()).slice(before);
  expect(first).toMatchObject({ chosenBy: ['key', 'text'], decisions: [theirs], decisionCount: 1 });
  expect(second).toMatchObject({ chosenBy: ['text'], decisions: [mine], reason: ERASURE.reason });
  expect(more).toEqual([]);
  expect(JSON.stringify([first, second]).toLowerCase()).not.toContain('zoë');
});

test('an export with erasures verifies and shows them', async () => {
  const { store, workspace, ownerKey, url } = service;
  await erase(store, { workspace, decisionIds: [await decide('X-1')] });
  const keys = (await ask(`${url}/v1/audit/key`)).text;
  const lines = await exportOf(service, {}, ownerKey);
  const verdict = await verdictOf(lines, { keys, workspace });
  expect(verdict).toMatchObject({ ok: true, counts: { kinds: { 'records.erased': expect.any(Number) } } });
  expect(verdict.words).toContain('`records.erased`');
  // An export without the trace is detected.
  const isTrace = (line: string) =>
    Buffer.from(JSON.parse(line).leaf ?? '', 'base64').includes('"records.erased"');
  expect(lines.some(isTrace)).toBe(true);
  const traceless = lines.filter((line) => !isTrace(line));
  expect(await verdictOf(traceless, { keys, workspace })).toMatchObject({ ok: false });
});

test('an export of one key or object shows its decisions with what followed them, verifies, and names nobody else', async () => {
  const { workspace, ownerKey, liveKey, url } = service;
  const one = await check(service, { ...ALLOWED, objectRef: 'O-1' }, { key: liveKey });
  const other = await decide('O-2', 'somebody else');
  for (const { body } of [one]) {
    const path = `${url}/v1/decisions/${body.decision_id}`;
    await ask(`${path}/redeem`, { key: liveKey, json: { intentDigest: body.intentDigest } });
    await ask(`${path}/outcome`, { key: liveKey, json: { result: 'done', note: 'shown' } });
  }
  await ask(`${url}/v1/decisions/${other}/outcome`, {
    key: liveKey,
    json: { result: 'done', note: 'hidden' },
  });
  const keys = (await ask(`${url}/v1/audit/key`)).text;
  const shownIn = async (query: Record<string, string>) => {
    const lines = await exportOf(service, query, ownerKey);
    const verdict = await verdictOf(lines, { keys, workspace });
    if (!verdict.ok) throw new Error(verdict.words);
    const { decisions, redemptions, kinds } = verdict.counts;
    const text = lines
      .map((line) => JSON.parse(line))
      .map(({ record = '' }) => Buffer.from(record, 'base64').toString())
      .join('\n');
    return { counts: [decisions, redemptions, kinds['decision.outcome'] ?? 0], text };
  };
  const { counts, text } = await shownIn({ objectRef: 'O-1' });
  expect(counts).toEqual([1, 1, 1]);
  expect(text).toContain('shown');
  expect(text).not.toMatch(/somebody else|hidden/);
  const made = await ask(`${url}/v1/keys`, { key: ownerKey, json: { kind: 'live', name: 'quiet' } });
  expect((await shownIn({ keyId: made.body.key.id })).counts).toEqual([0, 0, 0]);
  const resumed = await ask(`${url}/v1/audit/export?objectRef=O-1&resume=e30`, { key: ownerKey });
  expect(resumed.status).toBe(422);
});

test('nothing is erased before the log has named it', async () => {
  const { store, workspace } = service;
  const id = await decide('F-1');
  const alarm = new ForkAlarm();
  store.guardAppending(alarm);
  alarm.raise();
  await expect(erase(store, { workspace, decisionIds: [id] })).rejects.toThrow(FORKED);
  await expect(erase(store, { workspace, beforeMs: Date.now() })).rejects.toThrow(FORKED);
  store.guardAppending(new ForkAlarm());
  expect(await read(id)).toEqual([200, null]);
  const found = await store.findPrunable({ workspace, decisionIds: [id] });
  const other = { ...found, workspace: 'ws_none' };
  await expect(store.prune(other, { ...ERASURE, atMs: Date.now() })).rejects.toThrow('ws_none');
  expect(await read(id)).toEqual([200, null]);
});

test('no key can erase: the API has no operation for it', async () => {
  const { ownerKey, liveKey, developmentKey, url } = service;
  const id = await decide('A-1');
  for (const key of [ownerKey, liveKey, developmentKey]) {
    const deleted = await ask(`${url}/v1/decisions/${id}`, { key, method: 'DELETE' });
    expect([deleted.status, deleted.body.error.code]).toEqual([405, 'method_not_allowed']);
    for (const path of ['/v1/decisions', '/v1/audit/prune', `/v1/decisions/${id}/erase`])
      expect((await ask(`${url}${path}`, { key, json: { reason: 'r' } })).status).toBeGreaterThanOrEqual(404);
  }
  const { paths } = (await ask(`${url}/openapi.json`)).body;
  expect(Object.keys(paths).filter((path) => /prune|eras/.test(path))).toEqual([]);
  expect(await read(id)).toEqual([200, null]);
});

test('a large erasure is logged in parts whose numbers add up, and nothing is named twice', async () => {
  const ids = Array.from({ length: 1_201 }, (_, i) => `dec_${i}`);
  const trace = vi.fn(
    async (_: unknown, _part: { decisions: readonly string[] | null; entryCount: number }) => true,
  );
  await traceFound(
    trace,
    {
      ...{ workspace: 'ws_1', chosenBy: ['text'], kept: [], traced: new Set([ids[0]!]) },
      only: { decisions: new Set(ids), reviews: new Set() },
      counts: new Map([['ws_1', { entries: 1_300, decisions: 1_201 }]]),
    },
    { ...ERASURE, atMs: 1 },
  );
  const parts = trace.mock.calls.map(([, part]) => part);
  expect(parts.map(({ decisions }) => decisions!.length)).toEqual([500, 500, 200]);
  expect(parts.flatMap(({ decisions }) => decisions)).toEqual(ids.slice(1));
  expect(parts.reduce((sum, { entryCount }) => sum + entryCount, 0)).toBe(1_300);
});
