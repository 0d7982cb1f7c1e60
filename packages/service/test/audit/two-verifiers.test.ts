/** Our own verifier of assertions against a general library, on valid and changed assertions. */
import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import { verifyAssertion } from '@writecheck/ledger';
import { describe, expect, it } from 'vitest';
import type { Algorithm, Lies } from '../../../ledger/test/soft-authenticator.ts';
import { registeredDevice } from '../soft-passkey.ts';

const PARTY = { origin: 'https://writecheck.example.com', rpId: 'writecheck.example.com' };
const CHALLENGE = Buffer.alloc(32, 7);

const LIES: readonly Lies[] = [
  {},
  { crossOrigin: undefined },
  { type: 'webauthn.create' },
  { challenge: Buffer.alloc(32, 8).toString('base64url') },
  { challenge: `${CHALLENGE.toString('base64url')}=` },
  { origin: 'https://writecheck.example.com/' },
  { origin: 'http://writecheck.example.com' },
  { rpId: 'example.com' },
  { flags: 0 },
  { flags: 0x01 },
  { flags: 0x04 },
  { flags: 0x05 },
  { flags: 0x0d },
  { flags: 0x15 },
  { flags: 0x1d },
  { flags: 0x85, extra: Uint8Array.of(0xa0) },
  { extra: Uint8Array.of(0) },
  { otherKey: true },
];

/** We are stricter here on purpose: the library accepts an embedded page. */
const EMBEDDED: readonly Lies[] = [{ crossOrigin: true }, { topOrigin: 'https://evil.test' }];

async function bothOn(algorithm: Algorithm, lies: Lies, mutate?: (text: string) => string) {
  const { device, publicKey } = registeredDevice(PARTY, algorithm);
  const response = device.get({ challenge: CHALLENGE.toString('base64url') }, lies);
  if (mutate !== undefined) response.response.signature = mutate(response.response.signature);
  const { clientDataJSON, authenticatorData, signature } = response.response;
  const assertion = { id: response.id, clientDataJSON, authenticatorData, signature };
  const ours = await verifyAssertion({ ...PARTY, assertion, challenge: CHALLENGE, publicKey });
  let theirs = false;
  try {
    const { verified } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: CHALLENGE.toString('base64url'),
      expectedOrigin: PARTY.origin,
      expectedRPID: PARTY.rpId,
      credential: { id: response.id, publicKey: Buffer.from(publicKey, 'base64url'), counter: 0 },
      requireUserVerification: true,
    });
    theirs = verified;
  } catch {
    // It throws for what it refuses.
  }
  return { ours: ours.ok, theirs };
}

describe.each<Algorithm>(['ES256', 'EdDSA'])('two verifiers of %s', (algorithm) => {
  it.each(LIES)('agree on %j', async (lies) => {
    const { ours, theirs } = await bothOn(algorithm, lies);
    expect(ours).toBe(theirs);
  });

  // The library accepts some broken encodings of an ES256 signature.
  it('a signature with any bit changed is refused by ours', async () => {
    for (let at = 0; at < 40; at += 1) {
      const { ours } = await bothOn(algorithm, {}, (text) => {
        const bytes = Buffer.from(text, 'base64url');
        bytes[at]! ^= 1 << (at % 8);
        return bytes.toString('base64url');
      });
      expect({ at, ours }).toEqual({ at, ours: false });
    }
  });

  it.each(EMBEDDED)('differ on %j, which only we refuse', async (lies) => {
    expect((await bothOn(algorithm, lies)).ours).toBe(false);
  });
});
