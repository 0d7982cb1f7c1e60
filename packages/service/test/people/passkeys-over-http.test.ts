/** Accepting an invitation with a passkey, and signing in with it, on both stores. */
import { HOUR_MS, MINUTE_MS } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { type Lies, SoftAuthenticator } from '../../../ledger/test/soft-authenticator.ts';
import { ask } from '../ask.ts';
import { onBothStores } from '../reviews/reviews-kit.ts';
import { invite, member, originOf, post, register, signIn } from '../sign-in-kit.ts';

const LIES: readonly (readonly [string, Lies])[] = [
  ['another origin', { origin: 'http://localhost:1' }],
  ['the address instead of localhost', { origin: 'http://127.0.0.1:8080' }],
  ['another site', { rpId: 'example.com' }],
  ['an embedded page', { crossOrigin: true }],
  ['a top origin', { topOrigin: 'http://evil.test' }],
  ['another challenge', { challenge: 'AAAA' }],
  ['a challenge that is no text', { challenge: 7 as unknown as string }],
  ['another type', { type: 'payment.get' }],
];

onBothStores((kitNow) => {
  describe('an invitation', () => {
    test.each(['ES256', 'EdDSA'] as const)(
      'becomes a person with a passkey of %s and a session',
      async (algorithm) => {
        const { service } = kitNow();
        const { id, token, email } = await invite(service, {
          roles: ['reviewer', 'author'],
          groups: ['finance'],
        });
        const begun = await post(service, '/v1/invitations/begin', { token });
        expect(begun.status).toBe(200);
        expect(begun.body.options).toMatchObject({
          rp: { id: 'localhost' },
          user: { name: email, displayName: 'Ada' },
          attestation: 'none',
          authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
          pubKeyCredParams: [{ alg: -7 }, { alg: -8 }],
        });
        // What a holder of the token may know: what it gives them, and nobody else's name.
        const owner = await ask(`${service.url}/v1/me`, { key: service.ownerKey });
        expect(begun.body.invitation).toEqual({
          workspace: owner.body.workspace.name,
          name: 'Ada',
          roles: ['author', 'reviewer'],
        });
        const { device, reply } = await register(service, token, { algorithm });
        expect(reply.status).toBe(201);
        expect(reply.body).toEqual({
          session: {
            token: expect.stringMatching(/^wck_ses_[0-9A-Za-z]{38}$/),
            expiresAt: expect.any(String),
          },
          person: expect.objectContaining({
            id,
            email,
            state: 'active',
            signIn: ['passkey'],
            groups: ['finance'],
          }),
        });
        const me = await ask(`${service.url}/v1/me`, { key: reply.body.session.token });
        expect(me.body).toMatchObject({ person: { id }, workspace: { id: service.workspace } });

        const again = await signIn(service, device);
        expect(again.reply.status).toBe(201);
        expect(again.reply.body.person).toMatchObject({ id, state: 'active' });
        expect(again.reply.body.session.token).not.toBe(reply.body.session.token);
      },
    );

    test('is spent once, also by two concurrent requests that finish', async () => {
      const { service } = kitNow();
      const { token } = await invite(service);
      const begin = async () => {
        const { body } = await post(service, '/v1/invitations/begin', { token });
        return new SoftAuthenticator(originOf(service)).create(body.options);
      };
      const credentials = [await begin(), await begin()];
      const both = await Promise.all(
        credentials.map((credential) => post(service, '/v1/invitations/finish', { token, credential })),
      );
      expect(both.map(({ status }) => status).sort()).toEqual([201, 404]);
      const other = await invite(service);
      const begun = await post(service, '/v1/invitations/begin', { token: other.token });
      const credential = new SoftAuthenticator(originOf(service)).create(begun.body.options);
      const same = { token: other.token, credential };
      const all = await Promise.all([1, 2, 3].map(() => post(service, '/v1/invitations/finish', same)));
      expect(all.map(({ status }) => status).sort()).toEqual([201, 404, 404]);
      expect((await post(service, '/v1/invitations/begin', { token })).body.error.code).toBe('not_found');
    });

    test('is 404 if it is unknown, mistyped, replaced or past its 72 hours', async () => {
      const kit = kitNow();
      const { service } = kit;
      const { id, token } = await invite(service);
      const begun = await post(service, '/v1/invitations/begin', { token });
      const credential = new SoftAuthenticator(originOf(service)).create(begun.body.options);
      await ask(`${service.url}/v1/people/${id}/invitation`, { method: 'POST', key: service.ownerKey });
      const finish = await post(service, '/v1/invitations/finish', { token, credential });
      expect([finish.status, finish.body.error.code]).toEqual([404, 'not_found']);
      for (const other of [
        token,
        `${token}x`,
        token.replace('wck_inv_', 'wck_ses_'),
        'x',
        service.ownerKey,
      ]) {
        const reply = await post(service, '/v1/invitations/begin', { token: other });
        expect([reply.status, reply.body.error.code], other).toEqual([404, 'not_found']);
      }
      const late = await invite(service);
      kit.nowMs += 72 * HOUR_MS;
      expect((await post(service, '/v1/invitations/begin', { token: late.token })).status).toBe(404);
    });

    test.each([
      ...LIES,
      ['nobody verified', { flags: 0x41 }],
      ['nobody present', { flags: 0x44 }],
      ['a key that cannot sign', { offCurve: true }],
    ] as const)('is not spent by a passkey with %s', async (_, lies) => {
      const { service } = kitNow();
      const { token } = await invite(service);
      const { reply } = await register(service, token, { lies });
      expect([reply.status, reply.body.error.code]).toEqual([422, 'assertion_invalid']);
      expect(reply.body.error.message).toMatch(
        /^the passkey was not registered: (it|the|`clientDataJSON`) [a-z]/,
      );
      expect((await register(service, token)).reply.status).toBe(201);
    });

    test('gives a challenge that works once, for five minutes, and only for this invitation', async () => {
      const kit = kitNow();
      const { service } = kit;
      const one = await invite(service);
      const other = await invite(service);
      const device = new SoftAuthenticator(originOf(service));
      const finish = (token: string, credential: object) =>
        post(service, '/v1/invitations/finish', { token, credential });
      const begin = async () => {
        const { body } = await post(service, '/v1/invitations/begin', { token: one.token });
        return device.create(body.options);
      };
      const late = await begin();
      kit.nowMs += 5 * MINUTE_MS;
      expect((await finish(one.token, late)).body.error.code).toBe('assertion_invalid');
      const crossed = await begin();
      expect((await finish(other.token, crossed)).body.error.code).toBe('assertion_invalid');
      expect((await finish(one.token, crossed)).body.error.code).toBe('assertion_invalid');
      expect((await finish(one.token, await begin())).status).toBe(201);
    });

    test.each([{}, { id: 'x' }, { response: null }, { response: { clientDataJSON: '=' } }, { id: '\0' }])(
      'refuses the credential %j',
      async (credential) => {
        const { service } = kitNow();
        const { token } = await invite(service);
        const reply = await post(service, '/v1/invitations/finish', { token, credential });
        expect([reply.status, reply.body.error.code]).toEqual([422, 'assertion_invalid']);
        const signing = await post(service, '/v1/sessions/passkey/finish', { credential });
        expect([signing.status, signing.body.error.code]).toEqual([401, 'invalid_key']);
      },
    );

    test('refuses a passkey that is registered already', async () => {
      const { service } = kitNow();
      const first = await invite(service);
      const { credential } = await register(service, first.token);
      const second = await invite(service);
      const { body } = await post(service, '/v1/invitations/begin', { token: second.token });
      const copy = structuredClone(credential) as { response: { clientDataJSON: string } };
      const said = JSON.parse(Buffer.from(copy.response.clientDataJSON, 'base64url').toString());
      said.challenge = body.options.challenge;
      copy.response.clientDataJSON = Buffer.from(JSON.stringify(said)).toString('base64url');
      const reply = await post(service, '/v1/invitations/finish', { token: second.token, credential: copy });
      expect([reply.status, reply.body.error.code]).toEqual([422, 'assertion_invalid']);
    });
  });

  describe('signing in', () => {
    test.each([...LIES, ['nobody verified', { flags: 0x01 }], ['another key', { otherKey: true }]] as const)(
      'is refused with %s',
      async (_, lies) => {
        const { service } = kitNow();
        const { device } = await member(service);
        const { reply } = await signIn(service, device, lies);
        expect([reply.status, reply.body.error.code]).toEqual([401, 'invalid_key']);
        expect(reply.headers.get('www-authenticate')).toContain('Bearer');
        expect((await signIn(service, device)).reply.status).toBe(201);
      },
    );

    test('is refused with a counter that fell, if it ever rose', async () => {
      const { service } = kitNow();
      const { device } = await member(service);
      const status = async (signCount: number) => (await signIn(service, device, { signCount })).reply.status;
      expect([await status(0), await status(0), await status(9)]).toEqual([201, 201, 201]);
      for (const fallen of [8, 0]) expect(await status(fallen)).toBe(401);
      expect([await status(9), await status(10)]).toEqual([201, 201]);
    });

    test('accepts a challenge once and for five minutes, and none from a registration or of our own', async () => {
      const kit = kitNow();
      const { service } = kit;
      const { device } = await member(service);
      const finish = (credential: object) => post(service, '/v1/sessions/passkey/finish', { credential });
      kit.nowMs += 1_000;
      const { credential, reply } = await signIn(service, device);
      expect(reply.status).toBe(201);
      expect(Date.parse(reply.body.person.lastSeenAt)).toBe(kit.nowMs);
      expect((await finish(credential)).status).toBe(401);
      const { body } = await post(service, '/v1/sessions/passkey/begin', {});
      expect(Buffer.from(body.options.challenge, 'base64url').subarray(32).toString()).toBe('signin');
      expect(body.options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
      kit.nowMs += 5 * MINUTE_MS;
      expect((await finish(device.get(body.options))).status).toBe(401);
      const { token } = await invite(service);
      const registration = await post(service, '/v1/invitations/begin', { token });
      for (const challenge of [registration.body.options.challenge, Buffer.alloc(38).toString('base64url')]) {
        expect((await finish(device.get({ challenge }))).status).toBe(401);
      }
    });

    test("is refused with somebody else's handle or credential id", async () => {
      const { service } = kitNow();
      const { device } = await member(service);
      const other = await member(service);
      const handle = Buffer.from(other.id).toString('base64url');
      expect((await signIn(service, device, { userHandle: handle })).reply.status).toBe(401);
      const { body } = await post(service, '/v1/sessions/passkey/begin', {});
      const signed = { ...device.get(body.options), id: other.device.credentialId };
      const reply = await post(service, '/v1/sessions/passkey/finish', {
        credential: { ...signed, rawId: other.device.credentialId },
      });
      expect(reply.status).toBe(401);
    });

    test('ends with a reset and a disabling', async () => {
      const { service } = kitNow();
      const { id, device, session } = await member(service);
      const { body } = await ask(`${service.url}/v1/people/${id}/invitation`, {
        method: 'POST',
        key: service.ownerKey,
      });
      expect((await signIn(service, device)).reply.status).toBe(401);
      expect((await ask(`${service.url}/v1/me`, { key: session })).body.error.code).toBe('key_revoked');
      const renewed = await register(service, body.invitation.url.split('#')[1]);
      expect(renewed.reply.status).toBe(201);
      expect((await signIn(service, device)).reply.status).toBe(401);
      expect((await signIn(service, renewed.device)).reply.status).toBe(201);
      await ask(`${service.url}/v1/people/${id}`, { method: 'DELETE', key: service.ownerKey });
      expect((await signIn(service, renewed.device)).reply.status).toBe(401);
    });

    test('is not affected by a poisoned host', async () => {
      const { service } = kitNow();
      const { token, url } = await invite(service);
      expect(url).toBe(`${originOf(service)}/invitation#${token}`);
      const headers = {
        'x-forwarded-host': 'evil.test',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.test',
      };
      const begun = await post(service, '/v1/invitations/begin', { token }, headers);
      expect(begun.body.options.rp.id).toBe('localhost');
      const { reply } = await register(service, token, { origin: 'https://evil.test' });
      expect(reply.status).toBe(422);
    });

    test('accepts no more requests from an address than its limit, and other keyless routes still work', async () => {
      const kit = kitNow();
      kit.nowMs += HOUR_MS;
      const { service } = kit;
      let refused = 0;
      for (let sent = 0; sent < 605; sent += 1) {
        const reply = await post(service, '/v1/invitations/begin', { token: 'x' });
        if (reply.status === 429) refused += 1;
      }
      expect(refused).toBe(5);
      expect((await ask(`${service.url}/v1/me`, { key: service.ownerKey })).status).toBe(200);
      kit.nowMs += MINUTE_MS;
      expect((await post(service, '/v1/sessions/passkey/begin', {})).status).toBe(200);
    });
  });
});
