import { intentDigest } from '@writecheck/contract';
import { describe, expect, it } from 'vitest';
import { signEvidence } from './evidence.ts';

const intent = { system: 'erp', objectType: 'vendor', objectRef: 'v-1', field: 'iban', agentValue: 'ä' };
const base = {
  kid: 'k1',
  source: 'okta',
  workspace: 'ws_1',
  controlId: 'approval',
  result: 'PASS',
  intent,
} as const;
function ed25519() {
  return crypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify']) as Promise<CryptoKeyPair>;
}
function p256() {
  return crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
}

function parts(attestation: string) {
  expect(attestation).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  const [header, claims, signature] = attestation.split('.') as [string, string, string];
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  return {
    header: read(header),
    claims: read(claims),
    signed: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature, 'base64url'),
  };
}

describe('signed evidence', () => {
  it.each([
    ['EdDSA', ed25519, { name: 'Ed25519' }],
    ['ES256', p256, { name: 'ECDSA', hash: 'SHA-256' }],
  ])('verifies with the public half of a key for %s, given either way', async (alg, generate, algorithm) => {
    const { privateKey, publicKey } = await generate();
    for (const key of [privateKey, await crypto.subtle.exportKey('jwk', privateKey)]) {
      const { attestation } = await signEvidence({ ...base, key });
      const { header, signed, signature } = parts(attestation);
      expect(header).toEqual({ alg, kid: 'k1', typ: 'writecheck-evidence+jws' });
      expect(await crypto.subtle.verify(algorithm, publicKey, signature, signed)).toBe(true);
    }
  });

  it('claims exactly what was checked, and the item says the same', async () => {
    const { privateKey: key } = await ed25519();
    const checkedAt = new Date('2026-03-01T10:00:00.123Z');
    const item = await signEvidence({
      ...base,
      key,
      jti: 'j1',
      checkedAt,
      expiresAt: new Date('2026-03-01T11:00:00.999Z'),
    });
    expect(item).toEqual({
      controlId: 'approval',
      source: 'okta',
      result: 'PASS',
      checkedAt: '2026-03-01T10:00:00.123Z',
      attestation: expect.any(String),
    });
    expect(parts(item.attestation).claims).toEqual({
      aud: 'ws_1',
      jti: 'j1',
      controlId: 'approval',
      result: 'PASS',
      checkedAt: '2026-03-01T10:00:00.123Z',
      exp: Date.parse('2026-03-01T11:00:00Z') / 1000,
      intentDigest: intentDigest(intent),
    });
  });

  it('has its own id, is checked now and has no end by default', async () => {
    const { privateKey: key } = await ed25519();
    const items = await Promise.all([signEvidence({ ...base, key }), signEvidence({ ...base, key })]);
    const [first, second] = items.map(({ attestation }) => parts(attestation).claims);
    expect(first.jti).not.toBe(second.jti);
    expect(first).not.toHaveProperty('exp');
    expect(Math.abs(Date.parse(first.checkedAt) - Date.now())).toBeLessThan(5000);
  });

  it('may be bound to the object instead of the digest, and then to all of it', async () => {
    const { privateKey: key } = await ed25519();
    const { claims } = parts((await signEvidence({ ...base, key, bind: 'object' })).attestation);
    expect(claims).toMatchObject({ system: 'erp', objectType: 'vendor', objectRef: 'v-1' });
    expect(claims).not.toHaveProperty('intentDigest');
    expect(claims).not.toHaveProperty('field');
    for (const member of ['system', 'objectType', 'objectRef']) {
      const lacking = { ...intent, [member]: undefined };
      await expect(signEvidence({ ...base, key, intent: lacking, bind: 'object' })).rejects.toThrow(
        new TypeError('`bind: object` needs system, objectType and objectRef'),
      );
    }
  });

  it('is not made with a key of another kind, or for an intent that cannot be sent', async () => {
    const hmac = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']);
    await expect(signEvidence({ ...base, key: hmac })).rejects.toThrow(
      new TypeError('a `HMAC` key cannot sign evidence: use Ed25519 or ECDSA P-256'),
    );
    const p384 = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-384' }, true, [
      'sign',
      'verify',
    ]);
    await expect(signEvidence({ ...base, key: p384.privateKey })).rejects.toThrow(TypeError);
    const ecdh = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
    await expect(signEvidence({ ...base, key: ecdh.privateKey })).rejects.toThrow(
      new TypeError('a `ECDH` key cannot sign evidence: use Ed25519 or ECDSA P-256'),
    );
    const { privateKey: key } = await ed25519();
    await expect(signEvidence({ ...base, key, intent: { system: 1n } })).rejects.toThrow(
      new TypeError('the intent cannot be written as a JSON object'),
    );
  });

  it('carries facts as a claim, as they were at signing', async () => {
    const { privateKey: key } = await ed25519();
    const facts = { lines: [{ amount: 4.5 }] };
    const signing = signEvidence({ ...base, key, facts });
    const item = await signing;
    expect(parts(item.attestation).claims.facts).toEqual({ lines: [{ amount: 4.5 }] });
    expect(item).not.toHaveProperty('facts');
    expect(parts((await signEvidence({ ...base, key })).attestation).claims).not.toHaveProperty('facts');
  });

  it('accepts facts up to 16 KiB and 16 levels, and refuses what the service would not trust', async () => {
    const { privateKey: key } = await ed25519();
    const sign = (facts: unknown) => signEvidence({ ...base, key, facts: facts as never });
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
    const text = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
    await expect(sign(text(16_384))).resolves.toBeDefined();
    await expect(sign({ a: nested(15) })).resolves.toBeDefined();
    for (const wrong of [text(16_385), { a: nested(16) }, [], null, 'x', { a: 'ä'.repeat(8_200) }])
      await expect(sign(wrong)).rejects.toThrow(/^`facts` must/);
  });
});
