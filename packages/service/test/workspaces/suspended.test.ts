/**
 * A suspended workspace: within a second of the command every key and session of it gets 403 on every thread and replica,
 * nothing is done for it, nothing of it is lost, and nobody else notices.
 */

import { userInfo } from 'node:os';
import { parseEntry } from '@writecheck/ledger';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALLOWED, ask } from '../ask.ts';
import { type Answered, requestOf } from '../load.ts';
import { newMember } from '../member-kit.ts';
import { askAll, codesOf, endAll } from '../running/threads-kit.ts';
import type { TestService } from '../start-service.ts';
import { codesBut503, later, type Tenant, type Tenants, tenantsOn } from './tenants-kit.ts';

const GET = (key: string, path: string) => requestOf(key, {}, path).replace('POST', 'GET');

describe.each(['SQLite', 'PostgreSQL'] as const)('with several that decide on %s', (kind) => {
  let tenants: Tenants;
  beforeAll(async () => {
    tenants = await tenantsOn(kind);
  }, 120_000);
  afterAll(() => tenants.stop());

  const does = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await tenants.command('workspace', ...args);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const entriesOf = async ({ id }: Tenant) => {
    const found: object[] = [];
    for (const { log } of await tenants.store.logs())
      for (const { entries } of await tenants.store.segments(log, 0, 10_000))
        for (const { leaf } of entries) {
          const entry = leaf.length === 0 ? null : parseEntry(leaf);
          if (
            entry !== null &&
            'workspace' in entry &&
            entry.workspace === id &&
            entry.kind.startsWith('workspace.')
          )
            found.push({ kind: entry.kind, by: 'by' in entry ? entry.by : null });
        }
    return found;
  };

  test('every key and session gets 403 everywhere, and each works again after it is resumed', async () => {
    const tenant = await tenants.made();
    const service = { url: tenants.urls[0]!, ownerKey: tenant.ownerKey, store: tenants.store } as TestService;
    const { token } = await newMember(service, ['owner'], Date.now());
    const neighbour = await tenants.callers(requestOf(tenants.first.liveKey, ALLOWED));
    const requests = [
      requestOf(tenant.liveKey, ALLOWED),
      requestOf(tenant.developmentKey, ALLOWED),
      GET(tenant.ownerKey, '/v1/policies'),
      GET(tenant.ownerKey, '/v1/usage'),
      requestOf(tenant.ownerKey, { kind: 'live', name: 'more' }, '/v1/keys'),
      GET(token, '/v1/me'),
      requestOf(token, { kind: 'live', name: 'more' }, '/v1/keys'),
    ];
    const callers = await Promise.all(requests.map((request) => tenants.callers(request)));
    for (const each of callers)
      for (const { status } of await askAll(each.slice(0, 4))) expect(status).toBeLessThan(300);
    const keys = async () => (await tenants.store.listKeys(tenant.id)).length;
    expect(await does('suspend', tenant.id)).toContain(`${tenant.id} is suspended`);
    await later();
    const before = await keys();
    for (const each of callers) expect(codesBut503(await askAll(each))).toEqual(['403 workspace_suspended']);
    expect(await keys()).toBe(before);
    expect(codesBut503(await askAll(neighbour))).toEqual(['200']);
    expect(await does('suspend', tenant.id)).toContain('was suspended before');
    expect(await does('resume', tenant.id)).toContain('is active again');
    await later();
    for (const each of callers)
      for (const { status } of await askAll(each.slice(0, 4))) expect(status).toBeLessThan(300);
    for (const each of [neighbour, ...callers]) endAll(each);
    const by = { kind: 'operator', id: userInfo().username };
    expect(await entriesOf(tenant)).toEqual([
      { kind: 'workspace.suspended', by },
      { kind: 'workspace.resumed', by },
    ]);
  });

  test('nothing is allowed or redeemed after the second, however many requests are in progress', async () => {
    for (let round = 0; round < 3; round += 1) {
      const tenant = await tenants.made();
      const callers = await tenants.callers(requestOf(tenant.liveKey, ALLOWED));
      const [first] = await askAll(callers);
      const { decision_id: decisionId, intentDigest } = JSON.parse(first!.body);
      const path = `/v1/decisions/${decisionId}/redeem`;
      const redeeming = await tenants.callers(requestOf(tenant.liveKey, { intentDigest }, path));
      let isOver = false;
      const late: Answered[] = [];
      const lanes = callers.map(async (caller) => {
        for (;;) {
          const isAfter = isOver;
          const answer = await caller.ask();
          if (isAfter) late.push(answer);
          if (isAfter) return;
        }
      });
      await does('suspend', tenant.id);
      const recorded = await tenants.store.usage(tenant.id, new Date().toISOString().slice(0, 7));
      await later();
      isOver = true;
      await Promise.all(lanes);
      expect(codesBut503(late)).toEqual(['403 workspace_suspended']);
      expect(codesBut503(await askAll(redeeming))).toEqual(['403 workspace_suspended']);
      // Not one was recorded since the command had its result.
      expect(await tenants.store.usage(tenant.id, new Date().toISOString().slice(0, 7))).toEqual(recorded);
      for (const each of [callers, redeeming]) endAll(each);
    }
  });

  test('a key that is right uses up no failed authentications', async () => {
    const tenant = await tenants.made();
    await does('suspend', tenant.id);
    await later();
    const answers: Answered[] = [];
    const callers = await tenants.callers(requestOf(tenant.liveKey, ALLOWED));
    for (let round = 0; round < 4; round += 1) answers.push(...(await askAll(callers)));
    endAll(callers);
    expect(answers.length).toBeGreaterThan(120);
    expect(codesOf(answers)).toEqual(['403 workspace_suspended']);
  });

  test('an operator goes on managing it, and what they did counts once it is resumed', async () => {
    const tenant = await tenants.made();
    await does('suspend', tenant.id);
    const on = (...args: readonly string[]) => tenants.command(...args, '--workspace', tenant.id);
    expect((await on('keys', 'create', '--kind', 'live', '--name', 'x')).code).toBe(0);
    expect((await on('keys', 'list')).code).toBe(0);
    expect((await on('people', 'list')).code).toBe(0);
    expect((await on('freeze', '--reason', 'suspended')).code).toBe(0);
    expect((await tenants.command('freeze', 'list')).stdout).toContain(tenant.id);
    expect((await on('audit', 'prune', '--before', '2026-01-01T00:00:00Z')).stderr).toContain(
      'empty 0 entries',
    );
    await does('resume', tenant.id);
    await later();
    const { body } = await ask(`${tenants.urls[0]}/v1/check-write`, { key: tenant.liveKey, json: ALLOWED });
    expect([body.decision, body.reason_code]).toEqual(['pause', 'frozen']);
  });

  test('a grant of live keys is in the log, once', async () => {
    const tenant = await tenants.made();
    expect(await does('grant-live', tenant.id)).toContain('may now create live keys');
    expect(await does('grant-live', tenant.id)).toContain('nothing was changed');
    expect(await entriesOf(tenant)).toMatchObject([{ kind: 'workspace.granted' }]);
  });

  test('an unknown workspace is named, and nothing is changed', async () => {
    for (const name of ['suspend', 'resume', 'grant-live', 'delete']) {
      const { code, stderr } = await tenants.command('workspace', name, 'ws_nope');
      expect([code, stderr]).toEqual([1, expect.stringContaining('there is no workspace `ws_nope`; see ')]);
    }
  });
});
