/** All accepted evidence can be revoked: one rule says which `jti` counts and which one can be revoked. */

import { generateKeyPairSync, sign } from 'node:crypto';
import { name } from '@writecheck/api';
import { intentDigest, parseIntent } from '@writecheck/contract';
import { compile, verifyAttestations } from '@writecheck/engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fc } from '../../../../scripts/fast-check.ts';
import { ALLOWED, ask, check } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const DOCUMENTS = [
  { kind: 'ControlPack', id: 'c', controls: { approval: { assurance: 'attested', maxAge: '1h' } } },
  {
    kind: 'EvidenceSource',
    id: 'desk',
    keys: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }] },
  },
];
const BARE = { ...ALLOWED, requiredControls: ['approval'], controlEvidence: [] };

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const evidenceOf = (jti: string, workspace: string, digest: string) => {
  const claims = {
    ...{ aud: workspace, jti, controlId: 'approval', result: 'PASS', intentDigest: digest },
    checkedAt: new Date().toISOString(),
  };
  const signed = `${part({ alg: 'EdDSA', kid: 'k1', typ: 'writecheck-evidence+jws' })}.${part(claims)}`;
  const attestation = `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;
  return { controlId: 'approval', source: 'desk', result: 'PASS', attestation };
};

let service: TestService;
let digest: string;
beforeAll(async () => {
  service = await startTestService();
  const url = `${service.url}/v1/policies`;
  const put = { method: 'PUT', key: service.ownerKey, json: { documents: DOCUMENTS } };
  expect((await ask(url, put)).status).toBe(200);
  digest = (await check(service, BARE, { key: service.liveKey })).body.intentDigest;
});
afterAll(() => service.stop());

const decide = async (jti: string) => {
  const controlEvidence = [evidenceOf(jti, service.workspace, digest)];
  return (await check(service, { ...BARE, controlEvidence }, { key: service.liveKey })).body;
};
const revoke = (jti: string) =>
  ask(`${service.url}/v1/evidence/revocations`, { key: service.ownerKey, json: { source: 'desk', jti } });

test.each([
  ...['', 'trail ', ' lead', 'ctl\u0001', 'nul\u0000x', 'nl\nx', 'tab\tx', 'del\u007fx', 'x'.repeat(257)],
  ...['\u00a0x', '\u0085x', '\u2028x', '\ufeffx', 'x\u00a0', 'x\ufeff', '\u{1f600}'.repeat(257)],
])('an attestation with the id %j does not count and cannot be revoked', async (jti) => {
  expect(await decide(jti)).toMatchObject({
    ...{ decision: 'pause', reason_code: 'CONTROL_EVIDENCE_UNTRUSTED' },
  });
  expect((await revoke(jti)).body.error.code).toBe('invalid_request');
});

test.each([
  ...['j-1', 'with a space', '\u00e9', 'e\u0301', 'a\u00a0b', 'a\ufeffb', '\\0', 'sha256:x'],
  ...['x'.repeat(256), '\u{1f600}'.repeat(256)],
])('an attestation with the id %j counts until it is revoked', async (jti) => {
  expect((await decide(jti)).decision).toBe('allow');
  expect((await revoke(jti)).status).toBe(201);
  expect(await decide(jti)).toMatchObject({ decision: 'block', reason_code: 'CONTROL_EVIDENCE_REVOKED' });
});

test('an id is accepted exactly if it can be revoked', async () => {
  const compiled = compile(DOCUMENTS);
  if (compiled.kind === 'invalid') throw new Error('the bundle is not valid');
  const { snapshot } = compiled;
  const workspace = 'ws_1';
  const odd = fc.constantFrom(
    ...[' ', '\u0000', '\t', '\u0085', '\u009f', '\u00a0', '\u2028', '\u3000', '\ufeff', '\u200b'],
    ...['\u{1f600}', 'e\u0301', '\\', '"', 'x'],
  );
  const jtis = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.array(odd, { maxLength: 6 }).map((pieces) => pieces.join('')),
    fc.tuple(odd, fc.integer({ min: 250, max: 260 })).map(([piece, times]) => piece.repeat(times)),
  );
  await fc.assert(
    fc.asyncProperty(jtis, async (jti) => {
      const controlEvidence = [evidenceOf(jti, workspace, intentDigest(BARE))];
      const parsed = parseIntent(Buffer.from(JSON.stringify({ ...BARE, controlEvidence })));
      if (parsed.kind !== 'intent') throw new Error(parsed.kind);
      const request = { intent: parsed.intent, intentDigest: intentDigest(BARE), workspace, snapshot };
      const [facts] = await verifyAttestations(request);
      expect(facts?.kind === 'verified').toBe('value' in name.read(jti));
    }),
    { numRuns: 500 },
  );
});
