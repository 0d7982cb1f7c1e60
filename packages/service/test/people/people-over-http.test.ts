/** People over HTTP, on both stores: inviting, changing, resetting and disabling them, and every refusal. */
import { HOUR_MS } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { findInvited } from '../../src/features/people/invitation.ts';
import { joinWithPasskey } from '../../src/features/people/join.ts';
import { ask, signUp } from '../ask.ts';
import { entriesOf, invite, newEmail, newMember, newPasskey, roomOf, tokenIn } from '../member-kit.ts';
import { onBothStores, type ReviewKit } from '../reviews/reviews-kit.ts';
import { startTestService } from '../start-service.ts';

onBothStores((kitNow) => {
  const owner = (method: string, path: string, json?: unknown) => {
    const kit = kitNow();
    return kit.call(method, path, kit.service.ownerKey, json);
  };
  const codeOf = async (reply: ReturnType<ReviewKit['call']>) => {
    const { status, body } = await reply;
    return [status, body?.error?.code];
  };
  const member = (...roles: readonly string[]) => newMember(kitNow().service, roles, kitNow().nowMs);
  const join = (token: string) =>
    joinWithPasskey(
      ...[roomOf(kitNow().service.store), token, newPasskey(kitNow().nowMs), 'localhost', kitNow().nowMs],
    );
  const listed = async (id: string) =>
    (await owner('GET', '/v1/people')).body.people.find((person: { id: string }) => person.id === id);

  test('an invited person has all members, and the URL is shown once', async () => {
    const { nowMs, service } = kitNow();
    const email = `Grace.${newEmail()}`;
    const wish = {
      name: 'Grace Hopper',
      email,
      roles: ['auditor', 'owner', 'owner'],
      groups: ['b', 'a', 'b'],
    };
    const { status, body } = await owner('POST', '/v1/people', wish);
    expect(status).toBe(201);
    expect(body).toEqual({
      person: {
        ...{ id: expect.stringMatching(/^per_[0-9a-f]{32}$/), name: 'Grace Hopper', email },
        ...{ roles: ['owner', 'auditor'], groups: ['b', 'a'], state: 'invited', signIn: [] },
        ...{ createdAt: new Date(nowMs).toISOString(), lastSeenAt: null },
      },
      invitation: {
        url: expect.stringMatching(/^http:\/\/localhost:\d+\/invitation#wck_inv_[0-9A-Za-z]{38}$/),
        expiresAt: new Date(nowMs + 72 * HOUR_MS).toISOString(),
      },
    });
    expect(new URL(body.invitation.url).port).toBe(new URL(service.url).port);
    const list = await owner('GET', '/v1/people');
    expect(list.body.people).toContainEqual(body.person);
    expect(list.text).not.toContain(tokenIn(body.invitation.url));
    expect(JSON.stringify(await service.store.listPeople(service.workspace))).not.toContain(
      tokenIn(body.invitation.url),
    );
  });

  test.each([
    ['no name', { name: undefined }],
    ['no address', { email: undefined }],
    ['an address without @', { email: 'ada' }],
    ['an address with two @', { email: 'a@b@c' }],
    ['an address with a space', { email: 'a b@c' }],
    ['an address with a line break', { email: 'a@b\nc' }],
    ['an address that is too long', { email: `${'a'.repeat(250)}@b.cc` }],
    ['no role', { roles: [] }],
    ['an unknown role', { roles: ['admin'] }],
    ['roles that are no list', { roles: 'owner' }],
    ['an empty group', { groups: [''] }],
    ['an unknown member', { state: 'active' }],
  ])('a body with %s is refused', async (_, members) => {
    const wish = { name: 'Ada', email: newEmail(), roles: ['reviewer'], ...members };
    expect(await codeOf(owner('POST', '/v1/people', wish))).toEqual([422, 'invalid_request']);
  });

  test('bodies are refused in the usual order, before the id is looked up', async () => {
    const { service } = kitNow();
    const person = `${service.url}/v1/people/per_x`;
    const send = (body: string, type = 'application/json') =>
      codeOf(
        ask(person, { method: 'PATCH', key: service.ownerKey, body, headers: { 'content-type': type } }),
      );
    expect(await send('{}', 'text/plain')).toEqual([415, 'unsupported_media_type']);
    expect(await send(`"${'x'.repeat(70_000)}"`)).toEqual([413, 'body_too_large']);
    expect(await send('{')).toEqual([400, 'malformed_json']);
    expect(await send('{"email":"x@y"}')).toEqual([422, 'invalid_request']);
    expect(await send('{}')).toEqual([404, 'not_found']);
  });

  test('an address belongs to one person of a workspace, case-insensitively in ASCII, also after disabling', async () => {
    const { service } = kitNow();
    const email = newEmail();
    const { person } = await invite(service, { email });
    const again = { name: 'x', email: email.toUpperCase(), roles: ['auditor'] };
    expect(await codeOf(owner('POST', '/v1/people', again))).toEqual([409, 'email_taken']);
    expect((await owner('DELETE', `/v1/people/${person.id}`)).status).toBe(204);
    expect(await codeOf(owner('POST', '/v1/people', again))).toEqual([409, 'email_taken']);
    const other = await signUp(service);
    expect((await ask(`${service.url}/v1/people`, { key: other.ownerKey, json: again })).status).toBe(201);
  });

  test('a change of name, roles or groups is logged with its author, and never with a name or address', async () => {
    const { service, call } = kitNow();
    const boss = await member('owner');
    const { person } = await invite(service, { name: 'Zaphod' });
    const path = `/v1/people/${person.id}`;
    const changed = await call('PATCH', path, boss.token, { roles: ['author'], groups: ['finance'] });
    expect(changed.body).toEqual({ person: { ...person, roles: ['author'], groups: ['finance'] } });
    expect((await call('PATCH', path, boss.token, { name: 'Trillian' })).body.person.name).toBe('Trillian');
    expect((await call('PATCH', path, boss.token, { name: 'Trillian', roles: ['author'] })).status).toBe(200);
    expect((await call('PATCH', path, boss.token, {})).status).toBe(200);
    const entries = await entriesOf(service.store, person.id);
    expect(entries.map(({ event, by, details }) => [event, by.kind, details.members])).toEqual([
      ['invited', 'owner_key', undefined],
      ['changed', 'person', ['roles', 'groups']],
      ['changed', 'person', ['name']],
    ]);
    expect(entries[1]).toMatchObject({ by: { kind: 'person', id: boss.id }, workspace: service.workspace });
    expect(JSON.stringify(entries)).not.toMatch(/Zaphod|Trillian|example\.com/);
  });

  test('nobody changes their own roles or groups, whatever the change', async () => {
    const { call } = kitNow();
    const boss = await member('owner');
    const path = `/v1/people/${boss.id}`;
    for (const json of [{ roles: ['owner'] }, { roles: ['owner', 'reviewer'] }, { groups: [] }]) {
      expect(await codeOf(call('PATCH', path, boss.token, json))).toEqual([403, 'insufficient_scope']);
    }
    expect((await call('PATCH', path, boss.token, { name: 'Boss' })).body.person.name).toBe('Boss');
    expect((await owner('PATCH', path, { groups: ['finance'] })).body.person.groups).toEqual(['finance']);
  });

  test('a new invitation ends the earlier one', async () => {
    const { service } = kitNow();
    const { person, token } = await invite(service);
    const again = await owner('POST', `/v1/people/${person.id}/invitation`);
    expect([again.status, Object.keys(again.body)]).toEqual([201, ['invitation']]);
    expect(await join(token)).toMatchObject({ kind: 'refused', code: 'not_found' });
    expect(await join(tokenIn(again.body.invitation.url))).toMatchObject({ kind: 'signed_in' });
    const events = (await entriesOf(service.store, person.id)).map(({ event }) => event);
    expect(events).toEqual(['invited', 'invited', 'joined']);
  });

  test('an invitation is spent once, and is over after 72 hours', async () => {
    const kit = kitNow();
    const { person, token } = await invite(kit.service);
    const joins = await Promise.all([join(token), join(token), join(token)]);
    expect(joins.map(({ kind }) => kind).sort()).toEqual(['refused', 'refused', 'signed_in']);
    expect(await listed(person.id)).toMatchObject({ state: 'active', signIn: ['passkey'] });
    const late = await invite(kit.service);
    const room = roomOf(kit.service.store);
    const endMs = Date.parse(late.invitation.expiresAt);
    expect(await findInvited(room, late.token, endMs)).toMatchObject({ kind: 'refused', code: 'not_found' });
    expect(await findInvited(room, late.token, endMs - 1)).toMatchObject({ id: late.person.id });
    for (const wrong of ['', 'wck_inv_x', kit.service.ownerKey, late.token.slice(0, -1)]) {
      expect(await join(wrong)).toMatchObject({ kind: 'refused', code: 'not_found' });
    }
  });

  test('an invitation for somebody who has signed in is a reset: sessions, passkeys and standing end', async () => {
    const { service, call, nowMs } = kitNow();
    const person = await member('reviewer');
    expect((await call('GET', '/v1/me', person.token)).status).toBe(200);
    const { body } = await owner('POST', `/v1/people/${person.id}/invitation`);
    expect(await codeOf(call('GET', '/v1/me', person.token))).toEqual([401, 'key_revoked']);
    expect(await listed(person.id)).toMatchObject({ state: 'invited', signIn: [] });
    expect(await service.store.listCredentials(service.workspace, person.id)).toEqual([]);
    const events = (await entriesOf(service.store, person.id)).map(({ event, by }) => [event, by.kind]);
    expect(events).toEqual([
      ['invited', 'owner_key'],
      ['joined', 'person'],
      ['reset', 'owner_key'],
    ]);
    const joined = await joinWithPasskey(
      ...[roomOf(service.store), tokenIn(body.invitation.url), newPasskey(nowMs), 'localhost', nowMs],
    );
    if (joined.kind === 'refused') throw new Error(joined.message);
    expect((await call('GET', '/v1/me', joined.session.token)).body.person.id).toBe(person.id);
    expect(await codeOf(call('GET', '/v1/me', person.token))).toEqual([401, 'key_revoked']);
  });

  test('a disabled person is out, in every call, until an invitation brings them back as invited', async () => {
    const { service, call } = kitNow();
    const person = await member('owner');
    const pending = await invite(service);
    for (const { id } of [person, pending.person]) {
      expect((await owner('DELETE', `/v1/people/${id}`)).status).toBe(204);
      expect((await owner('DELETE', `/v1/people/${id}`)).status).toBe(204);
      expect(await listed(id)).toMatchObject({ state: 'disabled' });
      const events = (await entriesOf(service.store, id)).map(({ event }) => event);
      expect(events.filter((event) => event === 'disabled')).toHaveLength(1);
    }
    expect(await codeOf(call('GET', '/v1/keys', person.token))).toEqual([401, 'key_revoked']);
    expect(await join(pending.token)).toMatchObject({ kind: 'refused', code: 'not_found' });
    expect((await owner('POST', `/v1/people/${person.id}/invitation`)).status).toBe(201);
    expect((await owner('POST', `/v1/people/${pending.person.id}/invitation`)).status).toBe(201);
    expect(await listed(person.id)).toMatchObject({ state: 'invited' });
    const last = async (id: string) => (await entriesOf(service.store, id)).at(-1)?.event;
    expect([await last(person.id), await last(pending.person.id)]).toEqual(['reset', 'invited']);
    expect(await codeOf(call('GET', '/v1/keys', person.token))).toEqual([401, 'key_revoked']);
  });

  test('the list shows what happened to a person and by whom, the newest 20 changes of each', async () => {
    const { call } = kitNow();
    const boss = await member('owner');
    const other = await member('auditor');
    await call('PATCH', `/v1/people/${other.id}`, boss.token, { groups: ['finance'] });
    await owner('DELETE', `/v1/people/${other.id}`);
    const changesOf = async (id: string) =>
      (await owner('GET', '/v1/people')).body.changes.filter(
        ({ personId }: { personId: string }) => personId === id,
      );
    const byKey = { kind: 'owner_key', id: expect.stringMatching(/^key_/) };
    expect(await changesOf(other.id)).toMatchObject([
      { event: 'invited', by: byKey },
      { event: 'joined', by: { kind: 'person', id: other.id } },
      { event: 'changed', by: { kind: 'person', id: boss.id } },
      { event: 'disabled', by: byKey },
    ]);
    for (let times = 0; times < 20; times += 1)
      await owner('PATCH', `/v1/people/${other.id}`, { name: `Ada ${times}` });
    const events = (await changesOf(other.id)).map(({ event }: { event: string }) => event);
    expect(events).toEqual(Array(20).fill('changed'));
  });

  test('a revoked key shows who revoked it', async () => {
    const { call } = kitNow();
    const boss = await member('owner');
    const made = await call('POST', '/v1/keys', boss.token, { kind: 'live', name: 'bot' });
    expect(made.body.key).not.toHaveProperty('revokedBy');
    await call('DELETE', `/v1/keys/${made.body.key.id}`, boss.token);
    const { keys } = (await owner('GET', '/v1/keys')).body;
    const revoked = keys.find(({ id }: { id: string }) => id === made.body.key.id);
    expect(revoked.revokedBy).toEqual({ kind: 'person', id: boss.id });
  });

  test('a person who does not exist is not found', async () => {
    for (const id of [`per_${'0'.repeat(32)}`, 'x', '..%2F..']) {
      expect(await codeOf(owner('PATCH', `/v1/people/${id}`, { name: 'x' }))).toEqual([404, 'not_found']);
      expect(await codeOf(owner('POST', `/v1/people/${id}/invitation`))).toEqual([404, 'not_found']);
      expect(await codeOf(owner('DELETE', `/v1/people/${id}`))).toEqual([404, 'not_found']);
    }
  });

  test('a key shows who holds and who created it, also after a rotation', async () => {
    const { service, call } = kitNow();
    const [boss, other] = [await member('owner'), await member('owner')];
    const wish = { kind: 'live', name: 'bot', heldBy: other.id };
    const made = await call('POST', '/v1/keys', boss.token, wish);
    expect(made.body.key).toMatchObject({ heldBy: other.id, madeBy: boss.id });
    // The key itself never learns who exists.
    const seen = await kitNow().call('GET', '/v1/workspace', made.body.secret);
    expect(seen.text).not.toContain('per_');
    const rotate = async (id: string, key: string) =>
      (await call('POST', `/v1/keys/${id}/rotate`, key)).body.key;
    const byKey = await rotate(made.body.key.id, service.ownerKey);
    expect(byKey).toMatchObject({ heldBy: other.id, madeBy: boss.id });
    const byOther = await rotate(byKey.id, other.token);
    expect(byOther).toMatchObject({ heldBy: other.id, madeBy: other.id });
    expect((await owner('GET', '/v1/keys')).body.keys).toContainEqual(byOther);
    const byOwnerKey = await owner('POST', '/v1/keys', { kind: 'owner', name: 'o', heldBy: boss.id });
    expect(byOwnerKey.body.key).toMatchObject({ heldBy: boss.id, madeBy: null });
    const stranger = await signUp(service);
    for (const heldBy of ['per_x', boss.id]) {
      const key = heldBy === 'per_x' ? service.ownerKey : stranger.ownerKey;
      const refused = await call('POST', '/v1/keys', key, { kind: 'live', name: 'x', heldBy });
      expect([refused.status, refused.body.error.details]).toMatchObject([422, [{ pointer: '/heldBy' }]]);
    }
  });

  test('an author applies policies under their own name; only an owner confirms a loosening', async () => {
    const { service, call } = kitNow();
    const { workspace, ownerKey } = await signUp(service);
    const own = { ...service, ownerKey, workspace: workspace.id };
    const author = await newMember(own, ['author'], kitNow().nowMs);
    const boss = await newMember(own, ['owner'], kitNow().nowMs);
    const strict = { kind: 'Profile', id: 'p', require: ['a', 'b'] };
    const loose = { kind: 'Profile', id: 'p', require: ['a'] };
    const apply = (token: string, profile: object, query = '') =>
      call('PUT', `/v1/policies${query}`, token, { documents: [profile] });
    const confirm = '?confirmLoosening=true';
    expect((await apply(author.token, strict)).body.revision).toBe(1);
    expect(await codeOf(apply(author.token, loose))).toEqual([409, 'loosening_unconfirmed']);
    expect(await codeOf(apply(author.token, loose, confirm))).toEqual([403, 'insufficient_scope']);
    const stricter = { ...strict, require: ['a', 'b', 'c'] };
    expect((await apply(author.token, stricter, confirm)).status).toBe(200);
    expect((await apply(boss.token, loose, confirm)).status).toBe(200);
    const back = (token: string, json: object) => call('POST', '/v1/policies/rollback', token, json);
    expect((await back(author.token, { revision: 2 })).status).toBe(200);
    expect(await codeOf(back(author.token, { revision: 1, confirmLoosening: true }))).toEqual([
      403,
      'insufficient_scope',
    ]);
    const { revisions } = (await call('GET', '/v1/policies/revisions', author.token)).body;
    const authors = [author.id, boss.id, author.id, author.id];
    expect(revisions.map((each: { authorPersonId: string }) => each.authorPersonId)).toEqual(authors);
    expect(revisions.every((each: { authorKeyId: null }) => each.authorKeyId === null)).toBe(true);
    const byKey = await apply(ownerKey, { ...strict, require: ['a', 'b', 'c', 'd'] });
    const newest = (await call('GET', '/v1/policies/revisions', ownerKey)).body.revisions[0];
    expect([byKey.status, newest.authorPersonId]).toEqual([200, null]);
    expect(newest.authorKeyId).toMatch(/^key_/);
  });
});

test('every URL comes from the public URL, never from a header', async () => {
  const service = await startTestService({ settings: { publicUrl: 'https://write.example.com/check/' } });
  const headers = {
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
    host: 'evil.example',
  };
  const { body } = await ask(`${service.url}/v1/people`, {
    ...{ key: service.ownerKey, headers },
    json: { name: 'Ada', email: newEmail(), roles: ['reviewer'] },
  });
  expect(body.invitation.url).toMatch(/^https:\/\/write\.example\.com\/check\/invitation#wck_inv_/);
  await service.stop();
});

test('a clock that is behind the log changes no people', async () => {
  let nowMs = Date.now();
  const service = await startTestService({ clock: () => nowMs });
  const { person } = await invite(service);
  nowMs -= 61_000;
  const wish = { name: 'x', email: newEmail(), roles: ['owner'] };
  const send = (method: string, path: string, json?: object) =>
    ask(service.url + path, { method, key: service.ownerKey, ...(json && { json }) });
  const replies = [
    await send('POST', '/v1/people', wish),
    await send('PATCH', `/v1/people/${person.id}`, { name: 'x' }),
    await send('POST', `/v1/people/${person.id}/invitation`),
    await send('DELETE', `/v1/people/${person.id}`),
  ];
  expect(replies.map(({ body }) => body.error.code)).toEqual(Array(4).fill('clock_behind'));
  await service.stop();
});
