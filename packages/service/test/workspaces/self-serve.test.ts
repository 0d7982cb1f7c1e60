/** The ceilings of workspaces that signed themselves up on the hosted plan: exact, and theirs alone. */

import { DAY_MS } from '@writecheck/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALLOWED, ask } from '../ask.ts';
import { requestOf } from '../load.ts';
import { askAll, codesOf, endAll } from '../running/threads-kit.ts';
import { startTestService } from '../start-service.ts';
import { codesBut503, later, type Tenants, tenantsOn } from './tenants-kit.ts';

const RATE = 5;
const BYTES = 200_000;
const POLICY_BYTES = 2_000;
const WIDE = { ...ALLOWED, objectRef: 'x'.repeat(8_000) };

/** Of about that many bytes; each version is another bundle. */
function bundle(bytes: number, version = '1'): object {
  const profile = (i: number) => ({ kind: 'Profile', id: `p${i}`, version, require: ['identity'] });
  const each = JSON.stringify(profile(10)).length + 1;
  return { documents: Array.from({ length: Math.floor(bytes / each) }, (_, i) => profile(10 + i)) };
}

/** What is counted belongs to a day. */
async function untilDayHasRoom(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < 100_000) await later(leftMs);
}

describe.each(['SQLite', 'PostgreSQL'] as const)('with several that decide on %s', (kind) => {
  let tenants: Tenants;
  beforeAll(async () => {
    await untilDayHasRoom();
    tenants = await tenantsOn(kind, {
      ...{ plan: 'hosted', selfServeRate: '1000000', selfServeBytes: String(BYTES) },
      ...{ selfServePolicyBytes: String(POLICY_BYTES), signupsPerHour: '1000' },
    });
  }, 240_000);
  afterAll(() => tenants.stop());

  const checks = (key: string, url = tenants.urls[0]) => ask(`${url}/v1/check-write`, { key, json: WIDE });
  const apply = (key: string, bytes: number) =>
    ask(`${tenants.urls[0]}/v1/policies`, { key, method: 'PUT', json: bundle(bytes) });

  test('bytes: checks never pass the ceiling under any concurrency, and a neighbour has its own', async () => {
    const [mine, theirs] = [await tenants.signedUp(), await tenants.signedUp()];
    const callers = await tenants.callers(requestOf(mine.developmentKey, WIDE));
    let served = 0;
    for (let round = 0; round < 3; round += 1)
      served += (await askAll(callers)).filter(({ status }) => status === 200).length;
    const refused = await askAll(callers);
    endAll(callers);
    expect(codesBut503(refused)).toEqual(['429 quota_exceeded']);
    const figures = (await tenants.store.workspaceFigures(new Date().toISOString().slice(0, 7))).find(
      ({ id }) => id === mine.id,
    )!;
    expect(figures.decisions).toBe(served);
    expect(figures.storedBytes).toBeLessThanOrEqual(BYTES);
    expect(figures.storedBytes).toBeGreaterThan(BYTES / 2);
    const { headers, body } = await checks(mine.developmentKey);
    const [, leftSeconds] = /"bytes";r=0;t=(\d+)$/.exec(headers.get('ratelimit')!)!;
    expect(headers.get('retry-after')).toBe(leftSeconds);
    expect(Number(leftSeconds)).toBeGreaterThan(0);
    expect(Number(leftSeconds)).toBeLessThanOrEqual(86_400);
    expect(body.detail).toContain('may store today');
    expect((await checks(theirs.developmentKey)).status).toBe(200);
    expect((await checks(tenants.first.developmentKey)).status).toBe(200);
  });

  test('bytes: policies, keys, comments and freezes count, and a tenant at its ceiling may still freeze', async () => {
    const tenant = await tenants.signedUp();
    let i = 0;
    for (; i < 500; i += 1) {
      const { status } = await ask(`${tenants.urls[0]}/v1/policies?confirmLoosening=true`, {
        key: tenant.ownerKey,
        method: 'PUT',
        json: bundle(POLICY_BYTES, String(1_000 + i)),
      });
      if (status !== 200) break;
    }
    expect(i).toBeGreaterThan(BYTES / POLICY_BYTES / 4);
    expect(i).toBeLessThan(BYTES / POLICY_BYTES + 20);
    const call = (path: string, json: object) =>
      ask(`${tenants.urls[0]}${path}`, { key: tenant.ownerKey, json });
    const refused = await call('/v1/keys', { kind: 'owner', name: 'more' });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'quota_exceeded']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call('/v1/freezes', { reason: 'stop' })).status).toBe(201);
  });

  test('a bundle that is too large is refused, whichever form it has, and an operator lifts it', async () => {
    const tenant = await tenants.signedUp();
    const { status, body } = await apply(tenant.ownerKey, POLICY_BYTES + 100);
    expect([status, body.error.code]).toEqual([403, 'plan_limit']);
    expect((await apply(tenant.ownerKey, 200_000)).body.error.code).toBe('plan_limit');
    expect((await apply(tenant.ownerKey, POLICY_BYTES - 100)).status).toBe(200);
    expect((await apply(tenants.first.ownerKey, POLICY_BYTES + 100)).status).toBe(200);
    expect((await tenants.command('workspace', 'grant-live', tenant.id)).code).toBe(0);
    await later();
    const larger = await ask(`${tenants.urls.at(-1)}/v1/policies?confirmLoosening=true`, {
      key: tenant.ownerKey,
      method: 'PUT',
      json: bundle(POLICY_BYTES + 100),
    });
    expect(larger.status, larger.text).toBe(200);
    expect(
      (await ask(`${tenants.urls[0]}/v1/keys`, { key: tenant.ownerKey, json: { kind: 'live', name: 'l' } }))
        .status,
    ).toBe(201);
  });
});

describe('the rate', () => {
  let tenants: Tenants;
  beforeAll(async () => {
    tenants = await tenantsOn('SQLite', { plan: 'hosted', selfServeRate: String(RATE) });
  }, 120_000);
  afterAll(() => tenants.stop());

  test('is of the workspace, over all of its keys and all threads, and says when to come back', async () => {
    const tenant = await tenants.signedUp();
    const callers = await tenants.callers(requestOf(tenant.developmentKey, ALLOWED));
    const beganMs = performance.now();
    const answers = await askAll(callers);
    const windows = 1 + Math.floor((performance.now() - beganMs) / 1_000);
    endAll(callers);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(RATE * (windows + 1));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(codesOf(refused)).toEqual(['429 rate_limited']);
    expect(refused[0]!.head).toMatch(/retry-after: 1\r\n/i);
    expect(refused[0]!.head).toMatch(new RegExp(`ratelimit-policy: "workspace";q=${RATE};w=1\r\n`, 'i'));
    expect(refused[0]!.head).toMatch(/ratelimit: "workspace";r=0;t=1\r\n/i);
    const served = answers.find(({ status }) => status === 200)!;
    expect(served.head).toMatch(/ratelimit-policy: "workspace";q=5;w=1, "development";q=1000;w=\d+\r\n/i);
  });

  test('counts each of several evaluations', async () => {
    const [ADA, RECORD] = [
      { type: 'user', id: 'ada' },
      { type: 'record', id: '1' },
    ];
    const tenant = await tenants.signedUp();
    const send = () =>
      ask(`${tenants.urls[0]}/access/v1/evaluations`, {
        key: tenant.developmentKey,
        json: { subject: ADA, action: { name: 'read' }, evaluations: Array(20).fill({ resource: RECORD }) },
      });
    expect((await send()).status).toBe(200);
    const { status, headers } = await send();
    expect([status, Number(headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(1);
  });

  test('is not that of a neighbour, nor of a workspace that an operator made', async () => {
    const [mine, theirs] = [await tenants.signedUp(), await tenants.signedUp()];
    const made = await tenants.made();
    const callers = await tenants.callers(requestOf(mine.developmentKey, ALLOWED));
    await askAll(callers);
    endAll(callers);
    const once = (key: string) => ask(`${tenants.urls[0]}/v1/check-write`, { key, json: ALLOWED });
    expect((await once(theirs.developmentKey)).status).toBe(200);
    for (const { developmentKey } of [made, tenants.first]) {
      const free = await tenants.callers(requestOf(developmentKey, ALLOWED));
      const answers = await askAll(free);
      endAll(free);
      expect(codesBut503(answers)).toEqual(['200']);
      expect(answers[0]!.head).not.toContain('"workspace"');
    }
  });
});

test('on the private plan a workspace that signed itself up has no ceiling', async () => {
  const service = await startTestService({
    settings: { selfServeRate: '1', selfServeBytes: '1', selfServePolicyBytes: '1' },
  });
  try {
    const { body } = await ask(`${service.url}/v1/workspaces`, { json: { name: 'x' } });
    for (let i = 0; i < 5; i += 1) {
      const { status } = await ask(`${service.url}/v1/check-write`, { key: body.developmentKey, json: WIDE });
      expect(status).toBe(200);
    }
    const { status } = await ask(`${service.url}/v1/policies`, {
      key: body.ownerKey,
      method: 'PUT',
      json: { documents: [{ kind: 'Profile', id: 'p', require: ['identity'] }] },
    });
    expect(status).toBe(200);
  } finally {
    await service.stop();
  }
});
