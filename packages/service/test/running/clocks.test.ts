/** Wrong clocks, on both stores: a clock that is ahead decides nothing, and an operator can recover. */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '@writecheck/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { continueCommand } from '../../../cli/src/operator/continue-store.ts';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ALLOWED, ask, check } from '../ask.ts';
import { exportOf, newFolder, verdictOf } from '../audit/audit-kit.ts';
import { startTestService, type TestService } from '../start-service.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

const codeOf = (reply: { readonly status: number; readonly body: { error?: { code: string } } }) =>
  reply.status === 200 ? 'decided' : `${reply.status} ${reply.body.error?.code}`;

test('on SQLite a clock that is set ahead decides nothing until it is corrected', async () => {
  const offset = { clockMs: 0, uptimeMs: 0 };
  const startedMs = Date.now();
  const service = await startTestService({
    clock: () => Date.now() + offset.clockMs,
    uptime: () => Date.now() - startedMs + offset.uptimeMs,
    settings: { metricsPort: '0' },
  });
  expect(codeOf(await check(service, ALLOWED))).toBe('decided');
  offset.clockMs = DAY_MS;
  const refused = await check(service, ALLOWED);
  expect(codeOf(refused)).toBe('503 clock_ahead');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(codeOf(await ask(`${service.url}/readyz`))).toBe('503 clock_ahead');
  const metrics = await (await fetch(`${service.metricsUrl}/metrics`)).text();
  expect(Number(/^writecheck_clock_ahead_seconds (\S+)/m.exec(metrics)![1])).toBeGreaterThan(86_000);
  while (!service.logged().includes('the clock is ahead')) await sleep(50);
  offset.clockMs = 0;
  expect(codeOf(await check(service, ALLOWED))).toBe('decided');
  // The clocks move as in a night in which the machine slept.
  offset.clockMs = DAY_MS;
  offset.uptimeMs = DAY_MS;
  expect(codeOf(await check(service, ALLOWED))).toBe('decided');
  await service.stop();
});

test('on PostgreSQL a replica whose clock is ahead decides nothing, and the others continue', async () => {
  const databaseUrl = await server.newDatabase();
  const right = await startTestService({ settings: { databaseUrl } });
  const wrong = await startTestService({
    clock: () => Date.now() + DAY_MS,
    uptime: () => 0,
    settings: { databaseUrl },
  });
  const key = right.liveKey;
  expect(codeOf(await check(wrong, ALLOWED, { key }))).toBe('503 clock_ahead');
  expect(codeOf(await ask(`${wrong.url}/readyz`))).toBe('503 clock_ahead');
  expect(wrong.logged()).toContain('the clock is ahead');
  expect(codeOf(await check(right, ALLOWED, { key }))).toBe('decided');
  // The last use of a key or session, too, is not written with the wrong time.
  const { body } = await ask(`${wrong.url}/v1/keys`, { key: right.ownerKey });
  const uses = body.keys.flatMap(({ lastUsedAt }: { lastUsedAt: string | null }) => lastUsedAt ?? []);
  expect(uses.length).toBeGreaterThan(0);
  for (const usedAt of uses) expect(Date.parse(usedAt)).toBeLessThan(Date.now() + DAY_MS / 2);
  await Promise.all([right.stop(), wrong.stop()]);
});

test('on PostgreSQL a replica whose clock is an hour slow decides nothing, although no record is newer', async () => {
  const databaseUrl = await server.newDatabase();
  const right = await startTestService({ settings: { databaseUrl } });
  const slow = await startTestService({
    clock: () => Date.now() - HOUR_MS,
    uptime: () => 0,
    settings: { databaseUrl },
  });
  // This expired half an hour ago: to the slow clock it is still valid.
  const expiresAt = new Date(Date.now() - HOUR_MS / 2).toISOString();
  const controlEvidence = ALLOWED.controlEvidence.map((item) => ({ ...item, expiresAt }));
  const expired = { ...ALLOWED, controlEvidence };
  const key = right.liveKey;
  expect(codeOf(await check(slow, expired, { key }))).toBe('503 clock_behind');
  expect(codeOf(await ask(`${slow.url}/readyz`))).toBe('503 clock_behind');
  expect(slow.logged()).toContain('the clock is behind');
  expect((await check(right, expired, { key })).body.reason_code).toBe('CONTROL_EVIDENCE_EXPIRED');
  await Promise.all([right.stop(), slow.stop()]);
});

describe.each([['SQLite', false] as const, ['PostgreSQL', true] as const])('on %s', (_, isRemote) => {
  test('after a clock was ahead, `audit continue` starts a new log from now, on record', async () => {
    const folder = newFolder();
    const settings = isRemote ? { databaseUrl: await server.newDatabase() } : {};
    const ahead = await startTestService({ folder, settings, clock: () => Date.now() + DAY_MS });
    const { ownerKey, liveKey, workspace } = ahead;
    const early = await check(ahead, ALLOWED, { key: liveKey, headers: { 'idempotency-key': 'early' } });
    const keys = (await ask(`${ahead.url}/v1/audit/key`)).text;
    await ahead.stop();

    const behind = await startTestService({ folder, settings });
    expect(codeOf(await check(behind, ALLOWED, { key: liveKey }))).toBe('503 clock_behind');
    expect(behind.logged()).toContain('audit continue');
    await behind.stop();
    await continueCommand({ data: folder, ...settings });
    await continueCommand({ data: folder, ...settings });

    const service: TestService = { ...(await startTestService({ folder, settings })), ownerKey, liveKey };
    const reply = await check(service, ALLOWED, { key: liveKey });
    expect(codeOf(reply)).toBe('decided');
    const lines = await exportOf(service);
    expect(await verdictOf(lines, { keys, workspace })).toMatchObject({ ok: true, logs: [{}, {}] });
    for (const { decision_id } of [early.body, reply.body]) {
      const found = await ask(`${service.url}/v1/decisions/${decision_id}`, { key: ownerKey });
      expect(found.status).toBe(200);
    }
    // INVARIANT: the allow that would be valid until tomorrow no longer counts.
    const json = { intentDigest: early.body.intentDigest };
    const path = `/v1/decisions/${early.body.decision_id}/redeem`;
    expect(codeOf(await ask(`${service.url}${path}`, { key: liveKey, json }))).toBe('409 not_redeemable');
    const again = await check(service, ALLOWED, { key: liveKey, headers: { 'idempotency-key': 'early' } });
    expect(codeOf(again)).toBe('409 idempotency_key_expired');
    await service.stop();
    rmSync(folder, { recursive: true });
  });
});
