/** Service keys let CI and auditors' scripts do what their roles may, and nothing that needs a person or an owner. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { newMember } from '../member-kit.ts';
import { startTestService, type TestService } from '../start-service.ts';

const STRICT = [{ kind: 'Profile', id: 'p', version: '1', match: { system: 'erp' }, require: ['approval'] }];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const call = (method: string, path: string, key: string, json?: unknown) =>
  ask(service.url + path, { method, key, ...(json === undefined ? {} : { json }) });
const newKey = (members: object) => call('POST', '/v1/keys', service.ownerKey, { name: 'ci', ...members });

test('a service key has a prefix of its own, shows its roles, and keeps them when it is rotated', async () => {
  const { status, body } = await newKey({ kind: 'service', roles: ['auditor', 'author'] });
  expect([status, body.key.kind, body.key.roles]).toEqual([201, 'service', ['author', 'auditor']]);
  expect(body.secret).toMatch(/^wck_svc_[0-9A-Za-z]{38}$/);
  expect(body.key.hint).toBe(`wck_svc_${body.secret.slice(-4)}`);
  const rotated = await call('POST', `/v1/keys/${body.key.id}/rotate`, service.ownerKey, {});
  expect(rotated.body.key.roles).toEqual(['author', 'auditor']);
  const { body: listed } = await call('GET', '/v1/keys', service.ownerKey);
  expect(listed.keys.filter(({ roles }: { roles?: unknown }) => roles !== undefined)).toHaveLength(2);
});

test.each([
  ['no roles', { kind: 'service' }, '/roles'],
  ['an empty list of roles', { kind: 'service', roles: [] }, '/roles'],
  ['a role that only people have', { kind: 'service', roles: ['owner'] }, '/roles'],
  ['roles for a live key', { kind: 'live', roles: ['author'] }, '/roles'],
  ['roles for an owner key', { kind: 'owner', roles: ['author'] }, '/roles'],
  ['systems', { kind: 'service', roles: ['author'], allowedSystems: ['crm'] }, '/allowedSystems'],
])('a request for a service key with %s is refused', async (_, wish, pointer) => {
  const { status, body } = await newKey(wish);
  expect([status, body.error.code]).toEqual([422, 'invalid_request']);
  expect(body.error.details[0].pointer).toContain(pointer);
});

test('a service key is not a signed-in person', async () => {
  const { body } = await newKey({ kind: 'service', roles: ['auditor'] });
  const me = await call('GET', '/v1/me', body.secret);
  expect(me.status).toBe(200);
  expect([me.body.person, me.body.session, me.body.workspace.id]).toEqual([null, null, service.workspace]);
});

test('an author key applies a bundle under its own id, and cannot confirm a loosening', async () => {
  const { body } = await newKey({ kind: 'service', roles: ['author'] });
  const applied = await call('PUT', '/v1/policies', body.secret, { documents: STRICT });
  expect(applied.status, applied.text).toBe(200);
  const { body: listed } = await call('GET', '/v1/policies/revisions', body.secret);
  expect(listed.revisions[0].authorKeyId).toBe(body.key.id);
  const looser = await call('PUT', '/v1/policies?confirmLoosening=true', body.secret, { documents: [] });
  expect([looser.status, looser.body.error.code]).toEqual([403, 'insufficient_scope']);
  const made = await call('POST', '/v1/keys', body.secret, { kind: 'live', name: 'more' });
  expect([made.status, made.body.error.code]).toEqual([403, 'insufficient_scope']);
});

test('an auditor key exports the log, and cannot change anything', async () => {
  const { body } = await newKey({ kind: 'service', roles: ['auditor'] });
  const exported = await fetch(`${service.url}/v1/audit/export`, {
    headers: { authorization: `Bearer ${body.secret}` },
  });
  expect(exported.status).toBe(200);
  expect((await exported.text()).split('\n').length).toBeGreaterThan(2);
  const applied = await call('PUT', '/v1/policies', body.secret, { documents: STRICT });
  expect([applied.status, applied.body.error.code]).toEqual([403, 'insufficient_scope']);
  const checked = await call('POST', '/v1/check-write', body.secret, {});
  expect([checked.status, checked.body.error.code]).toEqual([403, 'insufficient_scope']);
});

test('keys of a disabled person are refused meanwhile, and disabling lists the keys they created', async () => {
  const { id, token } = await newMember(service, ['owner'], Date.now());
  const own = (members: object) => call('POST', '/v1/keys', token, { name: 'mine', ...members });
  const held = await own({ kind: 'live', heldBy: id });
  const owner = await own({ kind: 'owner' });
  const gone = await own({ kind: 'live' });
  await call('DELETE', `/v1/keys/${gone.body.key.id}`, service.ownerKey);
  const disabled = await call('DELETE', `/v1/people/${id}`, service.ownerKey);
  expect([disabled.status, disabled.body.person.state]).toEqual([200, 'disabled']);
  expect(disabled.body.keys.map((key: { id: string }) => key.id)).toEqual([
    held.body.key.id,
    owner.body.key.id,
  ]);
  const refused = await call('GET', '/v1/usage', held.body.secret);
  expect([refused.status, refused.body.error.code]).toEqual([401, 'key_revoked']);
  expect((await call('GET', '/v1/keys', owner.body.secret)).status).toBe(200);
  expect((await call('DELETE', `/v1/keys/${owner.body.key.id}`, service.ownerKey)).status).toBe(204);
  await call('POST', `/v1/people/${id}/invitation`, service.ownerKey);
  expect((await call('GET', '/v1/usage', held.body.secret)).status).toBe(200);
});

test('disabling somebody who created no key lists none', async () => {
  const { id } = await newMember(service, ['reviewer'], Date.now());
  const { status, text } = await call('DELETE', `/v1/people/${id}`, service.ownerKey);
  expect([status, text]).toEqual([204, '']);
});
