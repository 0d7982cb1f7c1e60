/**
 * Webhooks over processes: killed ones lose no event, replicas send about once, TLS is real, the documented receiver runs.
 * @module-tag nightly
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../../scripts/free-port.ts';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ask, PAUSED } from '../ask.ts';
import { ownerKeyOf, type Spawned, spawnWritecheck } from '../spawn-service.ts';
import { openReceiver, until } from './webhooks-kit.ts';

const root = join(import.meta.dirname, '../../../..');
const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-webhooks-'));
  folders.push(folder);
  return folder;
};
const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Running extends Spawned {
  readonly url: string;
}

const serve = async (data: string, environment: NodeJS.ProcessEnv = {}): Promise<Running> => {
  const spawned = spawnWritecheck(['serve', '--port', '0', '--data', data], {
    WRITECHECK_WEBHOOK_ALLOW: '127.0.0.1,localhost',
    ...environment,
  });
  running.add(spawned.child);
  return { ...spawned, url: await spawned.listening };
};

const kill = async ({ child, finished }: Spawned): Promise<void> => {
  child.kill('SIGKILL');
  await finished;
  running.delete(child);
};

const keysOf = ({ stdout }: Spawned) => ({
  owner: ownerKeyOf(stdout()),
  development: /wck_dev_\w+/.exec(stdout())![0],
});

const makeWebhook = async (at: Running, owner: string, url: string, events = ['decision.paused']) => {
  const { status, body, text } = await ask(`${at.url}/v1/webhooks`, { key: owner, json: { url, events } });
  expect(status, text).toBe(201);
  return body as { webhook: { id: string }; secret: string };
};

const pause = async (at: Running, key: string): Promise<string> =>
  (await ask(`${at.url}/v1/check-write`, { key, json: PAUSED })).body.decision_id;

const signingKey = (): string => {
  const file = join(newFolder(), 'key.pem');
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return file;
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

describe.each(['SQLite', 'PostgreSQL'])('on %s', (store) => {
  test('kill -9 right after the commit, or while a message is on its way, loses no event', async () => {
    const data = newFolder();
    const environment =
      store === 'SQLite'
        ? {}
        : { WRITECHECK_DATABASE_URL: await server.newDatabase(), WRITECHECK_SIGNING_KEY: signingKey() };
    const receiver = await openReceiver();
    const first = await serve(data, environment);
    const keys = keysOf(first);
    const { webhook } = await makeWebhook(first, keys.owner, receiver.url);
    const committed = await pause(first, keys.development);
    // The process dies right after its response, up to a second before it would look at the log.
    await kill(first);
    const second = await serve(data, environment);
    const [message] = await receiver.until(1);
    expect(message!.body.data.decisionId).toBe(committed);

    receiver.answer = 'hang';
    const hung = await pause(second, keys.development);
    await receiver.until(2);
    await kill(second);
    receiver.answer = 200;
    const third = await serve(data, environment);
    const [, before, after] = await receiver.until(3);
    expect([before!.body.data.decisionId, after!.body.data.decisionId]).toEqual([hung, hung]);
    expect(after!.headers['webhook-id']).toBe(before!.headers['webhook-id']);
    await until(async () => {
      const path = `${third.url}/v1/webhooks/${webhook.id}/deliveries`;
      const { deliveries } = (await ask(path, { key: keys.owner })).body;
      return (
        deliveries.length === 2 && deliveries.every((each: { state: string }) => each.state === 'delivered')
      );
    }, 'both delivered');
    await kill(third);
    await receiver.close();
  }, 120_000);
});

test('of two processes on PostgreSQL one sends each event, repeats it only if it lost its lease, and one takes over from the other', async () => {
  const environment = {
    WRITECHECK_DATABASE_URL: await server.newDatabase(),
    WRITECHECK_SIGNING_KEY: signingKey(),
  };
  const receiver = await openReceiver();
  const one = await serve(newFolder(), environment);
  const two = await serve(newFolder(), environment);
  const keys = keysOf(one);
  await makeWebhook(one, keys.owner, receiver.url);
  await makeWebhook(two, keys.owner, receiver.url);
  const made = await Promise.all(
    Array.from({ length: 60 }, (_, i) => pause(i % 2 === 0 ? one : two, keys.development)),
  );
  // Both webhooks lead to the same receiver, so each decision comes twice, under two ids.
  const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  await until(() => ids().size >= 2 * made.length, 'every event at both webhooks');
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(ids().size).toBe(2 * made.length);
  // A process that a busy machine keeps waiting loses its lease, and with it the knowledge of what it sent.
  expect(receiver.received.length).toBeLessThan(3 * made.length);
  expect(new Set(receiver.received.map(({ body }) => body.data.decisionId))).toEqual(new Set(made));
  await kill(one);
  const later = await pause(two, keys.development);
  const ofLater = () => receiver.received.filter(({ body }) => body.data.decisionId === later);
  await until(() => ofLater().length >= 2, 'the later event at both webhooks');
  expect(ids().size).toBe(2 * made.length + 2);
  await kill(two);
  await receiver.close();
}, 120_000);

test('a certificate that is not trusted gets no message, and one that is trusted does', async () => {
  const folder = newFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert],
  ]);
  const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  const receiver = await openReceiver(tls);
  const url = receiver.url.replace('127.0.0.1', 'localhost');
  const data = newFolder();
  const distrusting = await serve(data);
  const keys = keysOf(distrusting);
  const { webhook } = await makeWebhook(distrusting, keys.owner, url);
  await pause(distrusting, keys.development);
  const deliveries = async (at: Running) =>
    (await ask(`${at.url}/v1/webhooks/${webhook.id}/deliveries`, { key: keys.owner })).body.deliveries;
  await until(async () => (await deliveries(distrusting))[0]?.attempts === 1, 'an attempt');
  expect((await deliveries(distrusting))[0]).toMatchObject({ state: 'waiting', status: null });
  expect(receiver.received).toEqual([]);
  expect(distrusting.stderr() + distrusting.stdout()).not.toContain('token=hidden');
  await kill(distrusting);
  const trusting = await serve(data, { NODE_EXTRA_CA_CERTS: cert });
  await receiver.until(1);
  await kill(trusting);
  await receiver.close();
});

test('the receiver in the documentation verifies what is sent, and refuses what is forged', async () => {
  const page = readFileSync(join(root, 'docs/webhooks.md'), 'utf8');
  const source = /^```js\n(.*?)^```$/ms.exec(page)![1]!;
  const folder = newFolder();
  writeFileSync(join(folder, 'receiver.mjs'), source);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const port = await freePort();
  const service = await serve(newFolder());
  const keys = keysOf(service);
  const url = `http://127.0.0.1:${port}/`;
  const { webhook, secret } = await makeWebhook(service, keys.owner, url);
  const receiver = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { PORT: String(port), WEBHOOK_SECRET: secret },
  });
  running.add(receiver);
  let printed = '';
  receiver.stdout.on('data', (part) => {
    printed += part;
  });
  receiver.stderr.on('data', (part) => {
    printed += part;
  });
  const answers = () => fetch(url, { method: 'POST', body: '{}' }).catch(() => null);
  await until(async () => (await answers()) !== null, 'the receiver listens');
  expect((await answers())!.status).toBe(400);
  const decision = await pause(service, keys.development);
  await until(() => printed.includes(`/#/decisions/${decision}`), 'the event');
  expect(printed).toContain('decision.paused msg_');
  await until(async () => {
    const path = `${service.url}/v1/webhooks/${webhook.id}/deliveries`;
    return (await ask(path, { key: keys.owner })).body.deliveries[0].status === 204;
  }, 'delivered');
  receiver.kill('SIGKILL');
  running.delete(receiver);
  await kill(service);
});
