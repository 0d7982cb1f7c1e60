import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALLOWED, ask, check, PAUSED } from '../ask.ts';
import { member } from '../sign-in-kit.ts';
import { startTestService, type TestService } from '../start-service.ts';

const START = Date.UTC(2026, 10, 15, 12);
let nowMs = START;
let service: TestService;
const made: { readonly decision_id: string; readonly decision: string; readonly timestamp: string }[] = [];

beforeAll(async () => {
  service = await startTestService({ clock: () => nowMs });
  for (let at = 0; at < 120; at += 1) {
    const intent = { ...(at % 3 === 0 ? ALLOWED : PAUSED), objectRef: `C-${at % 5}`, runId: `run-${at % 2}` };
    const { body } = await check(service, at % 4 === 0 ? { ...intent, system: 'erp' } : intent, {
      key: service.liveKey,
    });
    made.unshift(body);
    nowMs += 1_000;
  }
});
afterAll(() => service.stop());

const list = (query: string) => ask(`${service.url}/v1/decisions${query}`, { key: service.ownerKey });
const ids = (decisions: readonly { readonly decision_id: string }[]) =>
  decisions.map(({ decision_id }) => decision_id);

describe('decisions', () => {
  test('are listed newest first, 50 at a time, each with its target', async () => {
    const { body } = await list('');
    expect(ids(body.decisions)).toEqual(ids(made.slice(0, 50)));
    expect(body.decisions[0]).toMatchObject({
      decision: 'pause',
      reason_code: 'CONTROL_EVIDENCE_MISSING',
      timestamp: made[0]!.timestamp,
      system: 'crm',
      objectType: 'customer',
      objectRef: 'C-4',
      field: 'email',
      runId: 'run-1',
      workflowId: null,
    });
  });

  test('pages follow each other without a gap or a repetition, also while more are made', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await list(
        `?limit=17${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      seen.push(...ids(body.decisions));
      cursor = body.nextCursor;
      await check(service, PAUSED, { key: service.developmentKey });
    } while (cursor !== null);
    expect(seen).toEqual(ids(made));
  });

  test('every filter narrows, and filters add up', async () => {
    const found = async (query: string) => (await list(`?limit=200&${query}`)).body.decisions.length;
    expect(await found('decision=allow')).toBe(40);
    expect(await found('reason_code=requirements_met')).toBe(40);
    expect(await found('system=erp')).toBe(30);
    expect(await found('objectRef=C-2')).toBe(24);
    expect(await found('runId=run-1')).toBe(60);
    expect(await found('workflowId=none')).toBe(0);
    const { keyId } = (await list('?decision=allow&limit=1')).body.decisions[0];
    expect(await found(`keyId=${keyId}`)).toBe(120);
    expect(await found(`keyId=${keyId}&decision=allow`)).toBe(40);
    expect(await found('keyId=key_other')).toBe(0);
    expect(await found('decision=allow&system=erp')).toBe(10);
    const from = new Date(START + 10_000).toISOString();
    const to = new Date(START + 20_000).toISOString();
    expect(await found(`from=${from}&to=${to}`)).toBe(10);
  });

  test('a checking key that names another key sees nothing', async () => {
    const { keyId } = (await list('?decision=allow&limit=1')).body.decisions[0];
    const asked = (key: string, id: string) =>
      ask(`${service.url}/v1/decisions?keyId=${id}`, { key }).then(({ body }) => body.decisions.length);
    expect(await asked(service.liveKey, keyId)).toBe(50);
    expect(await asked(service.developmentKey, keyId)).toBe(0);
  });

  test('a meaningless filter is refused, not ignored', async () => {
    for (const query of [
      'decision=allowed',
      'limit=0',
      'limit=201',
      'limit=x',
      'from=yesterday',
      'to=2026-11-15T12:00:00',
      'cursor=abc',
      'objectref=C-1',
      'system=a&system=b',
    ]) {
      const { status, body } = await list(`?${query}`);
      expect([query, status, body.error?.code]).toEqual([query, 422, 'invalid_request']);
    }
  });

  test('one is read with its intent and its response as sent', async () => {
    const intent = { ...PAUSED, extra: 'kept', metadata: { context: { amount: 1.5 } } };
    const sent = await check(service, intent);
    const { status, body } = await ask(`${service.url}/v1/decisions/${sent.body.decision_id}`, {
      key: service.ownerKey,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ decision_id: sent.body.decision_id, audit_id: sent.body.audit_id });
    expect(body.intent).toEqual(intent);
    expect(body.response).toEqual(sent.body);
  });

  test('name the agent for every role, also for those that may not list keys', async () => {
    for (const role of ['reviewer', 'author', 'auditor']) {
      const { session: key } = await member(service, { email: `${role}@example.com`, roles: [role] });
      const page = await ask(`${service.url}/v1/decisions?decision=pause&limit=1`, { key });
      const [{ decision_id, keyName }] = page.body.decisions;
      const one = await ask(`${service.url}/v1/decisions/${decision_id}`, { key });
      expect([role, keyName, one.body.keyName]).toEqual([role, 'development', 'development']);
    }
  });

  test('are listed oldest first if requested', async () => {
    const { body } = await list('?order=oldest&decision=pause&limit=3');
    const pauses = made.filter(({ decision }) => decision === 'pause').reverse();
    expect(ids(body.decisions)).toEqual(ids(pauses.slice(0, 3)));
    const next = await list(`?order=oldest&decision=pause&limit=3&cursor=${body.nextCursor}`);
    expect(ids(next.body.decisions)).toEqual(ids(pauses.slice(3, 6)));
    expect((await list('?order=random')).body.error.code).toBe('invalid_request');
    expect((await list('?warn=true')).body.decisions).toEqual([]);
  });

  test('are counted over time by their outcome', async () => {
    const counts = (query: string, key = service.ownerKey) =>
      ask(`${service.url}/v1/decisions/counts${query}`, { key });
    const from = new Date(START).toISOString();
    const { body } = await counts(`?step=hour&from=${from}&to=${new Date(START + 1).toISOString()}`);
    expect(body.counts).toHaveLength(1);
    expect(body.counts[0]).toMatchObject({ from, allow: 40, block: 0, warn: 0 });
    expect(body.counts[0].pause).toBeGreaterThanOrEqual(80);
    expect((await counts('')).body.counts[0].from).toBe('2026-11-15T00:00:00.000Z');
    expect((await counts(`?step=hour&from=2026-10-01T00:00:00Z`)).body.error.code).toBe('invalid_request');
    expect((await counts('', service.developmentKey)).status).toBe(403);
  });

  test('usage by day and key adds up to the month', async () => {
    const daily = (query: string) => ask(`${service.url}/v1/usage/daily${query}`, { key: service.ownerKey });
    const { body } = await daily('');
    expect(body.period).toBe('2026-11');
    const { used, live } = (await ask(`${service.url}/v1/usage`, { key: service.ownerKey })).body;
    const checks = body.days.map((day: { readonly checks: number }) => day.checks);
    expect(checks.reduce((sum: number, count: number) => sum + count, 0)).toBe(used + live.used);
    expect((await daily('?period=2026-10')).body.days).toEqual([]);
    expect((await daily('?period=2026-13')).body.error.code).toBe('invalid_request');
  });

  test('usage counts the month in UTC and starts from zero with the next', async () => {
    const usage = async () => (await ask(`${service.url}/v1/usage`, { key: service.ownerKey })).body;
    const november = await usage();
    expect(november).toEqual({
      period: '2026-11',
      used: november.used,
      limit: 1_000,
      remaining: 1_000 - november.used,
      resetsAt: '2026-12-01T00:00:00.000Z',
      live: { used: 120, limit: null },
    });
    expect(november.used).toBeGreaterThan(0);
    nowMs = Date.UTC(2026, 11, 1) - 1;
    await check(service, PAUSED);
    expect((await usage()).used).toBe(november.used + 1);
    nowMs = Date.UTC(2026, 11, 1);
    expect(await usage()).toMatchObject({ period: '2026-12', used: 0, live: { used: 0 } });
    await check(service, PAUSED);
    expect((await usage()).used).toBe(1);
  });
});
