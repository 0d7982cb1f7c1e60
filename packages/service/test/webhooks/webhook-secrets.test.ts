/** Secrets of webhooks: never in plain text in the store, and replaced with the signing key. */
import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databasePath } from '@writecheck/store/sqlite/open-database';
import Database from 'better-sqlite3';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { newFolder } from '../audit/audit-kit.ts';
import { startTestService, type TestService } from '../start-service.ts';
import { openReceiver, type Received, type Receiver } from './webhooks-kit.ts';

const settings = { webhookAllow: '127.0.0.1' };
const folder = newFolder();
let service: TestService;
let ownerKey: string;
let receiver: Receiver;
beforeAll(async () => {
  service = await startTestService({ folder, settings });
  ({ ownerKey } = service);
  receiver = await openReceiver();
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

const call = async (path: string, json: object = {}) =>
  (await ask(`${service.url}/v1/webhooks${path}`, { key: ownerKey, json })).body;
const newWebhook = async () => {
  const { webhook, secret } = await call('', { url: receiver.url, events: ['test'] });
  return { id: webhook.id as string, secret: secret as string };
};
async function tested(id: string): Promise<Received> {
  const before = receiver.received.length;
  await call(`/${id}/test`);
  return (await receiver.until(before + 1))[before]!;
}
const isSignedBy = (secret: string, { headers, text }: Received): boolean => {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};
const change = (text: string, id: string) => {
  const db = new Database(databasePath(folder));
  db.prepare(text).run(id);
  db.close();
};

test('no file of the store has a secret in plain text, before or after a rotation', async () => {
  const first = await newWebhook();
  const { secret } = await call(`/${first.id}/rotate`);
  expect(isSignedBy(secret, await tested(first.id))).toBe(true);
  expect(isSignedBy(first.secret, await tested(first.id))).toBe(true);
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  for (const each of [secret, first.secret]) {
    const text = each.slice('whsec_'.length);
    const bytes = Buffer.from(text, 'base64');
    for (const form of [bytes, text, bytes.toString('hex'), bytes.toString('base64url')])
      expect(files.some((file) => file.includes(form))).toBe(false);
  }
  expect(service.logged()).not.toContain('whsec_');
});

test('a secret that was changed in the database signs nothing, and nothing is sent', async () => {
  const { id } = await newWebhook();
  const other = await newWebhook();
  change(
    'UPDATE webhook SET sealed = (SELECT sealed FROM webhook w WHERE w.id <> webhook.id LIMIT 1) WHERE id = ?',
    id,
  );
  const before = receiver.received.length;
  await call(`/${id}/test`);
  await expect.poll(() => service.logged()).toContain('the secret of a webhook cannot be read');
  expect(isSignedBy(other.secret, await tested(other.id))).toBe(true);
  expect(receiver.received.length).toBe(before + 1);
});

test('after the signing key was replaced, a rotation gives a secret that the new key opens', async () => {
  const { id, secret } = await newWebhook();
  await service.stop();
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(join(folder, 'signing-key.pem'), key);
  service = await startTestService({ folder, settings });
  const rotated = await call(`/${id}/rotate`);
  const message = await tested(id);
  expect([isSignedBy(rotated.secret, message), isSignedBy(secret, message)]).toEqual([true, false]);
});
