import { intentDigest, type WriteIntent } from '@writecheck/contract';
import { compile, decide, verifyAttestations } from '@writecheck/engine';
import { expect, it } from 'vitest';
import { type EvidenceToSign, signEvidence } from '../src/evidence.ts';

const intent: WriteIntent = {
  system: 'erp',
  objectType: 'vendor',
  objectRef: 'v-1',
  operation: 'vendor.update',
  requiredControls: ['approval'],
};
const ALGORITHMS = [
  ['Ed25519', { name: 'Ed25519' }],
  ['P-256', { name: 'ECDSA', namedCurve: 'P-256' }],
] as const;

/** The engine's decision on the intent with this evidence, signed by `sign` and trusted by a bundle. */
async function decideWith(
  algorithm: { name: string },
  change: Partial<EvidenceToSign>,
  bind: 'digest' | 'object' = 'digest',
) {
  const keys = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair;
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', keys.publicKey);
  const jwk = { kty, crv, x, ...(y === undefined ? {} : { y }), kid: 'k1' };
  const control = { maxAge: '1h', assurance: 'attested', ...(bind === 'object' ? { bind } : {}) };
  const compiled = compile([
    { kind: 'ControlPack', id: 'p', version: '1', controls: { approval: control } },
    { kind: 'EvidenceSource', id: 'okta', keys: { keys: [jwk] } },
  ]);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  const { snapshot } = compiled;
  const base = {
    kid: 'k1',
    source: 'okta',
    workspace: 'ws_1',
    controlId: 'approval',
    result: 'PASS',
    intent,
  } as const;
  const item = await signEvidence({ ...base, key: keys.privateKey, ...change });
  const asked = { ...intent, controlEvidence: [item] };
  const facts = await verifyAttestations({
    intent: asked,
    intentDigest: intentDigest(asked),
    workspace: 'ws_1',
    snapshot,
  });
  return decide(asked, facts, snapshot, Date.now());
}

it.each(ALGORITHMS)(
  'evidence signed with %s satisfies a control that requires an attestation',
  async (_, algorithm) => {
    expect(await decideWith(algorithm, {})).toMatchObject({ decision: 'allow' });
    expect(await decideWith(algorithm, { expiresAt: new Date(Date.now() + 60_000) })).toMatchObject({
      decision: 'allow',
    });
    expect(await decideWith(algorithm, { bind: 'object' }, 'object')).toMatchObject({ decision: 'allow' });
  },
);

it.each<[string, Partial<EvidenceToSign>]>([
  ['another intent', { intent: { ...intent, objectRef: 'v-2' } }],
  ['another workspace', { workspace: 'ws_2' }],
  ['the object only', { bind: 'object' }],
  ['a key the source does not have', { kid: 'k2' }],
  ['a time long ago', { checkedAt: new Date(Date.now() - 7_200_000) }],
  ['a time that is over', { expiresAt: new Date(Date.now() - 1000) }],
])('evidence signed for %s does not', async (_, change) => {
  expect(await decideWith({ name: 'Ed25519' }, change)).toMatchObject({ decision: 'pause' });
});
