/**
 * A deleted workspace: its keys are unknown within a second, everything of it is erased, and the log still verifies for
 * everybody else. A deletion that was killed is completed by the same command.
 */
import { verifyExport } from '@writecheck/ledger';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALLOWED, ask, checkAll } from '../ask.ts';
import { requestOf } from '../load.ts';
import { askAll, endAll } from '../running/threads-kit.ts';
import { spawnWritecheck } from '../spawn-service.ts';
import { codesBut503, later, type Tenant, type Tenants, tenantsOn } from './tenants-kit.ts';

describe.each(['SQLite', 'PostgreSQL'] as const)('with several that decide on %s', (kind) => {
  let tenants: Tenants;
  beforeAll(async () => {
    tenants = await tenantsOn(kind);
  }, 120_000);
  afterAll(() => tenants.stop());

  const decide = async ({ liveKey }: Tenant, times: number) => {
    const checks = Array.from({ length: times }, (_, i) => ({ ...ALLOWED, objectRef: `secret-${i}` }));
    const replies = await checkAll(tenants.urls.at(-1)!, liveKey, checks);
    for (const { status, text } of replies) expect(status, text).toBe(200);
    return replies.map(({ body }) => body as { readonly decision_id: string; readonly intentDigest: string });
  };
  const verified = async ({ ownerKey }: Tenant) => {
    const { text } = await ask(`${tenants.urls[0]}/v1/audit/export`, { key: ownerKey });
    const keys = (await ask(`${tenants.urls[0]}/v1/audit/key`)).text;
    return verifyExport(text.slice(0, -1).split('\n'), { keys });
  };
  const fileOf = async () =>
    JSON.stringify(
      await Promise.all(
        (await tenants.store.logs()).map(({ log }) => tenants.store.segments(log, 0, 10_000)),
      ),
    );

  test('says what it erases and asks; then nothing of it is left but its trace, and others still verify', async () => {
    const tenant = await tenants.made('Käse & Co');
    const [one] = await decide(tenant, 5);
    await decide(tenants.first, 3);
    const refused = await tenants.command('workspace', 'delete', tenant.id);
    expect([refused.code, refused.stderr]).toEqual([1, 'nothing was deleted; add --yes to delete it\n']);
    expect(refused.stdout).toContain(`this erases ${tenant.id}, Käse & Co, for good:`);
    expect(refused.stdout).toContain('5 entries of the log, 5 of them decisions');
    expect(refused.stdout).toContain('3 keys, 0 people, 0 policy revisions');
    await decide(tenant, 1);
    const path = `/v1/decisions/${one!.decision_id}/redeem`;
    const callers = await Promise.all(
      [
        requestOf(tenant.liveKey, ALLOWED),
        requestOf(tenant.liveKey, { intentDigest: one!.intentDigest }, path),
        requestOf(tenant.liveKey, {}, `/v1/decisions/${one!.decision_id}/receipt`).replace('POST', 'GET'),
        requestOf(tenant.ownerKey, {}, '/v1/audit/export').replace('POST', 'GET'),
      ].map((request) => tenants.callers(request)),
    );
    const { code, stdout, stderr } = await tenants.command('workspace', 'delete', tenant.id, '--yes');
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(`${tenant.id} is deleted`);
    await later();
    for (const each of callers) {
      expect(codesBut503(await askAll(each))).toEqual(['401 invalid_key']);
      endAll(each);
    }
    expect(Buffer.from(await fileOf()).toString()).not.toContain('secret-0');
    expect(await verified(tenants.first)).toMatchObject({ ok: true });
    await decide(tenants.first, 1);
    const listed = JSON.parse((await tenants.command('workspace', 'list', '--json')).stdout);
    expect(listed.workspaces.map(({ id }: Tenant) => id)).not.toContain(tenant.id);
    for (const args of [
      ['keys', 'list'],
      ['freeze', '--reason', 'x'],
    ])
      expect((await tenants.command(...args, '--workspace', tenant.id)).stderr).toContain(
        'there is no workspace',
      );
    // Once more: there is nothing left to do.
    expect((await tenants.command('workspace', 'delete', tenant.id)).stdout).toContain('erased 0 entries');
  });

  test('a deletion that was killed refuses every key at once, and the same command completes it', async () => {
    const tenant = await tenants.made();
    for (let i = 0; i < 10; i += 1) await decide(tenant, 50);
    const spawned = spawnWritecheck(['workspace', 'delete', tenant.id, '--yes', ...tenants.place]);
    await expect.poll(spawned.stdout, { timeout: 30_000, interval: 1 }).toContain('is deleted');
    spawned.child.kill('SIGKILL');
    await spawned.finished;
    await later();
    const callers = await tenants.callers(requestOf(tenant.liveKey, ALLOWED));
    expect(codesBut503(await askAll(callers))).toEqual(['401 invalid_key']);
    endAll(callers);
    const { code, stderr } = await tenants.command('workspace', 'delete', tenant.id);
    expect(code, stderr).toBe(0);
    const left = await tenants.store.workspaceContents(tenant.id);
    expect([left.entries, ...Object.values(left.rows)].every((count) => count === 0)).toBe(true);
    expect(await tenants.store.findWorkspace(tenant.id)).toMatchObject({ state: 'deleted', name: '' });
    expect(await verified(tenants.first)).toMatchObject({ ok: true });
  });
});
