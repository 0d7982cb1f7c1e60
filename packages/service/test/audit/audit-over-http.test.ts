/** What anybody may request about the log: keys, logs, checkpoints and proofs that one extends another. */
import { createPublicKey, generateKeyPairSync, verify as verifySignature } from 'node:crypto';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  openCheckpoint,
  parseNote,
  parseVerifierKeys,
  verifyExtension,
  verifyReceipt,
} from '@writecheck/ledger';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALLOWED, ask, check, PAUSED, receiptOf } from '../ask.ts';
import { roundsUntil } from '../rounds-until.ts';
import { startTestService } from '../start-service.ts';
import { type AuditedService, auditedService, newFolder } from './audit-kit.ts';

let audited: AuditedService;
beforeAll(async () => {
  audited = await auditedService(3);
});
afterAll(() => audited.service.stop());

const get = (path: string) => ask(`${audited.service.url}${path}`);

test('a checkpoint covers every earlier response, and is signed by the published key', async () => {
  const { log } = audited.service.store;
  await check(audited.service, PAUSED, { key: audited.service.liveKey });
  const size = (await audited.service.store.logs())[0]!.size;
  const note = (await get(`/v1/audit/checkpoint?log=${log}`)).text;
  expect(note.startsWith(`writecheck/${log}\n${size}\n`)).toBe(true);
  const opened = await openCheckpoint(note, parseVerifierKeys(audited.keys)!);
  expect(opened).toMatchObject({ kind: 'checkpoint', checkpoint: { log, size } });
});

test('the JWK set holds the same key, by which the note verifies without any of our code', async () => {
  const { keys } = (await get('/.well-known/jwks.json')).body;
  expect(keys).toHaveLength(1);
  expect(keys[0]).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' });
  const { text, signatures } = parseNote((await get('/v1/audit/checkpoint')).text)!;
  const key = createPublicKey({ key: keys[0], format: 'jwk' });
  expect(verifySignature(null, Buffer.from(text), key, signatures[0]!.signature)).toBe(true);
});

test('every checkpoint extends every earlier one', async () => {
  const { log } = audited.service.store;
  const notes: string[] = [];
  for (let i = 0; i < 5; i += 1) {
    notes.push((await get(`/v1/audit/checkpoint?log=${log}`)).text);
    await check(audited.service, PAUSED, { key: audited.service.liveKey });
  }
  const sizeOf = (note: string) => Number(note.split('\n')[1]);
  for (const [i, older] of notes.entries()) {
    for (const newer of notes.slice(i)) {
      const query = `log=${log}&from=${sizeOf(older)}&to=${sizeOf(newer)}`;
      const { proof } = (await get(`/v1/audit/consistency?${query}`)).body;
      expect((await verifyExtension({ older, newer, proof, keys: audited.keys })).ok).toBe(true);
    }
  }
  expect((await get(`/v1/audit/consistency?log=${log}&from=0&to=3`)).body).toEqual({ proof: [] });
});

test('the logs are listed, and an unknown log or size is refused', async () => {
  const { log } = audited.service.store;
  const { logs } = (await get('/v1/audit/logs')).body;
  expect(logs).toEqual([{ log, origin: `writecheck/${log}`, size: expect.any(Number), isOpen: true }]);
  expect((await get('/v1/audit/checkpoint?log=no')).status).toBe(404);
  expect((await get('/v1/audit/consistency?log=no&from=0&to=1')).status).toBe(404);
  for (const query of ['from=2&to=1', 'from=0&to=99999', 'from=-1&to=1', 'from=1', 'from=a&to=b']) {
    expect((await get(`/v1/audit/consistency?log=${log}&${query}`)).body.error.code).toBe('invalid_request');
  }
});

test('the log is signed within a second without a request', async () => {
  const { store } = audited.service;
  await check(audited.service, PAUSED, { key: audited.service.liveKey });
  const { size } = (await store.logs())[0]!;
  const isSigned = async () => (await store.newestCheckpoint(store.log))?.size === size;
  expect(await roundsUntil(100, isSigned)).toBeLessThanOrEqual(10);
});

test('after a rotation both keys are published, and what the old one signed still verifies', async () => {
  const folder = newFolder();
  const { service, keys } = await auditedService(1, { folder });
  const { url, workspace, liveKey: key } = service;
  const receipt = await receiptOf(url, key, await check(service, ALLOWED, { key }));
  await service.stop();
  expect(statSync(join(folder, 'signing-key.pem')).mode & 0o777).toBe(0o600);
  const signingKey = join(folder, 'given.pem');
  writeFileSync(
    signingKey,
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  );
  const rotated = await startTestService({ folder, settings: { signingKey } });
  const published = (await ask(`${rotated.url}/v1/audit/key`)).text;
  expect(published.trim().split('\n')).toEqual([expect.any(String), keys.trim()]);
  expect((await ask(`${rotated.url}/.well-known/jwks.json`)).body.keys).toHaveLength(2);
  const fresh = await receiptOf(rotated.url, key, await check(rotated, ALLOWED, { key }));
  const question = { intent: ALLOWED, workspace, now: Date.now() };
  expect(await verifyReceipt({ ...question, receipt: fresh, keys })).toMatchObject({
    reason: 'unknown_signer',
  });
  for (const one of [receipt, fresh]) {
    expect((await verifyReceipt({ ...question, receipt: one, keys: published })).ok).toBe(true);
  }
  await rotated.stop();
  rmSync(folder, { recursive: true });
});
