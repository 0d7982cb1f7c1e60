/** A registered passkey in software, and what the service would store of it. */
import type { RelyingParty } from '@writecheck/ledger';
import { type Algorithm, SoftAuthenticator } from '../../ledger/test/soft-authenticator.ts';

export function registeredDevice({ origin, rpId }: RelyingParty, algorithm: Algorithm = 'ES256') {
  const device = new SoftAuthenticator(origin, algorithm);
  const created = device.create({
    challenge: 'AAAA',
    rp: { id: rpId },
    user: { id: 'AAAA' },
    pubKeyCredParams: [{ alg: -7 }, { alg: -8 }],
  });
  // The key ends the authenticator data, which ends the object.
  const object = Buffer.from(created.response.attestationObject, 'base64url');
  return { device, publicKey: object.subarray(algorithm === 'ES256' ? -77 : -42).toString('base64url') };
}
