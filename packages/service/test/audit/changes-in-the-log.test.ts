/** Every change to how decisions are made is an entry of the log, with its author, in the same commit. */
import {
  type ChangeEntry,
  isNotedChange,
  type LoggedNotedEntry,
  parseEntry,
  verifyExport,
} from '@writecheck/ledger';
import { expect, test } from 'vitest';
import { newMember } from '../member-kit.ts';
import { onBothStores } from '../reviews/reviews-kit.ts';

const STRICT = [{ kind: 'Profile', id: 'p', version: '1', match: { system: 'erp' }, require: ['approval'] }];

onBothStores((kit) => {
  const call = (method: string, path: string, json?: unknown, key = kit().service.ownerKey) =>
    kit().call(method, path, key, json);

  const exported = async (): Promise<string> =>
    (
      await fetch(`${kit().service.url}/v1/audit/export`, {
        headers: { authorization: `Bearer ${kit().service.ownerKey}` },
      })
    ).text();

  /** The changes in the export, in the order of the log. */
  async function changes(): Promise<readonly ChangeEntry[]> {
    const lines = (await exported())
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    return lines.flatMap(({ leaf }: { leaf?: string }) => {
      const entry = leaf === undefined ? null : parseEntry(Buffer.from(leaf, 'base64'));
      return entry !== null && isNotedChange(entry) ? [entry] : [];
    });
  }
  const newest = async (count: number) =>
    (await changes()).slice(-count).map((entry) => {
      const { workspace: _, timestamp: __, log: ___, ...rest } = entry as LoggedNotedEntry;
      return rest;
    });
  const ownerId = async (): Promise<string> => (await call('GET', '/v1/workspace')).body.key.id;

  test('the log proves who created, rotated and revoked a key, and contains no secret', async () => {
    const by = { kind: 'owner_key', id: await ownerId() };
    const made = await call('POST', '/v1/keys', { kind: 'service', name: 'ci', roles: ['auditor'] });
    const { id } = made.body.key;
    const rotated = await call('POST', `/v1/keys/${id}/rotate`, {});
    await call('DELETE', `/v1/keys/${rotated.body.key.id}`);
    const key = { by, keyKind: 'service', roles: ['auditor'] };
    expect(await newest(3)).toEqual([
      { kind: 'key.created', key: id, ...key },
      { kind: 'key.rotated', key: id, replacement: rotated.body.key.id, ...key },
      { kind: 'key.revoked', key: rotated.body.key.id, ...key },
    ]);
    const text = await exported();
    expect(text).not.toContain(made.body.secret);
    expect(Buffer.from(text, 'base64').toString()).not.toContain(made.body.secret);
  });

  test('the log proves who renamed the workspace, once for each new name and without the name', async () => {
    const by = { kind: 'owner_key', id: await ownerId() };
    const owner = await newMember(kit().service, ['owner'], kit().nowMs);
    const before = await changes();
    const rename = (name: string, key = kit().service.ownerKey) =>
      call('PATCH', '/v1/workspace', { name }, key);
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await rename('Accounts payable');
      expect([status, body]).toEqual([
        200,
        { workspace: { id: kit().service.workspace, name: 'Accounts payable' } },
      ]);
    }
    expect((await rename('Käse & Co', owner.token)).status).toBe(200);
    const byPerson = { kind: 'person', id: owner.id };
    expect((await changes()).slice(before.length)).toMatchObject([
      { kind: 'workspace.renamed', by },
      { kind: 'workspace.renamed', by: byPerson },
    ]);
    expect(Buffer.from(await exported(), 'base64').toString()).not.toContain('Accounts payable');
    const { body } = await call('GET', '/v1/workspace');
    expect(body.workspace.name).toBe('Käse & Co');
    expect(body.renames).toMatchObject([
      { name: 'Accounts payable', by },
      { name: 'Käse & Co', by: byPerson },
    ]);
    // Whoever signs in, or is invited, reads the new name.
    expect((await call('GET', '/v1/me', undefined, owner.token)).body.workspace.name).toBe('Käse & Co');
  });

  test('revoking a key twice is one entry', async () => {
    const { id } = await kit().newKey('live');
    for (let times = 0; times < 2; times += 1) await call('DELETE', `/v1/keys/${id}`);
    expect(
      (await changes()).filter((entry) => entry.kind === 'key.revoked' && entry.key === id),
    ).toHaveLength(1);
  });

  test('the log proves who applied which bundle, and that a loosening was confirmed', async () => {
    const author = await newMember(kit().service, ['owner'], kit().nowMs);
    const { body: first } = await call('PUT', '/v1/policies', { documents: STRICT }, author.token);
    const { body: second } = await call('PUT', '/v1/policies?confirmLoosening=true', { documents: [] });
    const { body: third } = await call('POST', '/v1/policies/rollback', {
      revision: first.revision,
      confirmLoosening: true,
    });
    const [byPerson, byKey] = [
      { kind: 'person', id: author.id },
      { kind: 'owner_key', id: await ownerId() },
    ];
    expect(await newest(3)).toMatchObject([
      { kind: 'policy.applied', by: byPerson, ...first },
      { kind: 'policy.applied', by: byKey, ...second, loosened: true },
      { kind: 'policy.applied', by: byKey, ...third, rollbackOf: first.revision },
    ]);
    expect((await newest(3))[0]).not.toHaveProperty('loosened');
  });

  test('a refused change leaves no entry', async () => {
    await call('PUT', '/v1/policies?confirmLoosening=true', { documents: STRICT });
    const before = await changes();
    const { status } = await call('PUT', '/v1/policies', { documents: [] });
    expect(status).toBe(409);
    expect((await call('POST', '/v1/keys', { kind: 'none', name: 'x' })).status).toBe(422);
    expect(await changes()).toEqual(before);
  });

  test('the log proves who revoked evidence, and who created, changed and deleted a webhook', async () => {
    const by = { kind: 'owner_key', id: await ownerId() };
    for (let times = 0; times < 2; times += 1)
      await call('POST', '/v1/evidence/revocations', { source: 'okta', jti: 'j-1' });
    const made = await call('POST', '/v1/webhooks', { url: 'https://example.com/', events: ['test'] });
    const { id } = made.body.webhook;
    await call('PATCH', `/v1/webhooks/${id}`, { description: 'x' });
    await call('POST', `/v1/webhooks/${id}/rotate`);
    await call('DELETE', `/v1/webhooks/${id}`);
    expect(await newest(5)).toEqual([
      { kind: 'evidence.revoked', by, source: 'okta', jti: 'j-1' },
      { kind: 'webhook.created', by, webhook: id },
      { kind: 'webhook.changed', by, webhook: id },
      { kind: 'webhook.changed', by, webhook: id },
      { kind: 'webhook.deleted', by, webhook: id },
    ]);
  });

  test('the export with these entries verifies', async () => {
    const keys = await (await fetch(`${kit().service.url}/v1/audit/key`)).text();
    const verdict = await verifyExport((await exported()).trimEnd().split('\n'), { keys });
    expect(verdict.ok, JSON.stringify(verdict)).toBe(true);
    expect(verdict).toMatchObject({ counts: { otherEntries: 0 } });
  });
});
