/** docs/attestations.md matches the vectors, and the service accepts the vectors. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signEvidence } from '@writecheck/client/evidence';
import { canonicalIntent, DIGEST_MEMBERS, intentDigest, intentFromValue } from '@writecheck/contract';
import { compile, verifyAttestations } from '@writecheck/engine';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import vectors from './attestation-vectors.json' with { type: 'json' };

const page = readFileSync(new URL('../docs/attestations.md', import.meta.url), 'utf8');
const blocks = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\`$`, 'gm'))].map(
    ([, block]) => block!,
  );
const { privateKey, source, intent, canonical, header, claims, item } = vectors;

test('the page shows the vectors', () => {
  expect(blocks('json').map((block) => JSON.parse(block))).toEqual([
    intent,
    header,
    claims,
    privateKey,
    item,
  ]);
  expect(blocks('text')).toEqual([canonical, claims.intentDigest]);
  const listed = /Drop any that are absent or `null`:\n\n([\s\S]*?)\n\n/.exec(page)![1]!;
  expect([...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(DIGEST_MEMBERS);
});

test('the client signs the vectors', async () => {
  expect(canonicalIntent(intent)).toBe(canonical);
  expect(intentDigest(intent)).toBe(claims.intentDigest);
  const { kid, ...key } = privateKey;
  const signed = await signEvidence({
    ...{ key, kid, source, intent, jti: claims.jti, workspace: claims.aud, controlId: claims.controlId },
    ...{ result: 'PASS', checkedAt: new Date(claims.checkedAt), expiresAt: new Date(claims.exp * 1000) },
  });
  expect(signed).toEqual(item);
});

test('the service accepts the vectors with the policy on the page', async () => {
  const compiled = compile([
    parse(blocks('yaml')[0]!),
    { kind: 'ControlPack', id: 'core', controls: { approval: { assurance: 'attested', sources: [source] } } },
  ]);
  const parsed = intentFromValue({ ...intent, controlEvidence: [item] });
  if (compiled.kind !== 'snapshot' || parsed.kind !== 'intent') throw new Error('the page is wrong');
  const request = { intent: parsed.intent, workspace: claims.aud, snapshot: compiled.snapshot };
  const facts = await verifyAttestations({ ...request, intentDigest: claims.intentDigest });
  expect(facts).toMatchObject([{ kind: 'verified', jti: claims.jti, boundToDigest: true }]);
});

const has = (program: string, flag: string) => spawnSync(program, [flag]).status === 0;

test.skipIf(!has('python3', '--version'))(
  'python3 computes the same digests with the code of the page',
  () => {
    const numbers = [0, 1, -1.5, 12.0, 0.1, 1e-6, 1e-7, 1.5e-7, 123456789.125, 1e16, 1e20, 1e21, 5e-324];
    const intents = [
      intent,
      { system: 'pay', operation: 'refund.create', workflowId: null, metadata: { context: { numbers } } },
      { system: 'crm', field: '金額', agentValue: '\u0000\u001f"\\/\u007f\n€𝔘', authorityFound: false },
      { system: 'x', metadata: { '\uffff': 1, 𝔘: 2, a: [true, null, {}, []], '1': { z: 1, A: 2 } } },
    ];
    const input = JSON.stringify(intents);
    const code = `${blocks('python')[0]}
import sys
print(json.dumps([intent_digest(each) for each in json.load(sys.stdin)]))`;
    const output = execFileSync('python3', ['-c', code], { input, encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual(intents.map((each) => intentDigest(each)));
  },
);

test.skipIf(!has('python3', '--version') || !has('openssl', 'version'))(
  'python3 makes the exact attestation with the code of the page, signed by openssl',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'writecheck-attestation-'));
    const pem = createPrivateKey({ key: privateKey, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' });
    writeFileSync(join(folder, 'key.pem'), pem);
    const code = `${blocks('python')[0]}
import subprocess, sys
def sign(data):
    open("signed", "wb").write(data)
    return subprocess.check_output("openssl pkeyutl -sign -rawin -inkey key.pem -in signed".split())
print(attestation(json.load(sys.stdin), "${privateKey.kid}", sign))`;
    const input = JSON.stringify(claims);
    const output = execFileSync('python3', ['-c', code], { input, encoding: 'utf8', cwd: folder });
    expect(output.trim()).toBe(item.attestation);
  },
);
