/**
 * The ways to a database besides a plain connection: PgBouncer, several hosts in one URL, TLS.
 * @module-tag nightly
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../../scripts/free-port.ts';
import {
  commitTo,
  newRequest,
  newWorkspace,
} from '../../../store/test/store-contract/store-contract-values.ts';
import { onServer, startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { ALLOWED, ask, check } from '../ask.ts';
import { knownWithin } from '../known-within.ts';
import { serverUser } from '../postgres-process.ts';
import { startTestService, type TestService } from '../start-service.ts';
import { CutProxy } from './cut-proxy.ts';

let server: TestServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writecheck-ways-'));
  chmodSync(folder, 0o755);
  // The certificate is for `localhost` only, so that an address does not match it.
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ed25519', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=DNS:localhost', '-keyout', 'key.pem', '-out', 'cert.pem'],
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  const { uid, gid } = serverUser();
  if (uid !== undefined) chownSync(join(folder, 'key.pem'), uid, gid!);
  chmodSync(join(folder, 'key.pem'), 0o600);
  const tls = ['ssl=on', `ssl_cert_file=${folder}/cert.pem`, `ssl_key_file=${folder}/key.pem`];
  server = await startTestServer({ isOwn: true, flags: tls.flatMap((setting) => ['-c', setting]) });
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

const version = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' }).stdout ?? '';

/** Few connections to the server, so that clients that share them get in each other's way. */
const startPgBouncer = async (name: string, extra = ''): Promise<number> => {
  const port = await freePort();
  const { username, password } = new URL(server.url);
  writeFileSync(join(folder, `${name}.users`), `"${username}" "${password}"\n`);
  writeFileSync(
    join(folder, `${name}.ini`),
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${folder}/${name}.users
pool_mode = transaction
default_pool_size = 3
${extra}
`,
  );
  const child: ChildProcess = spawn('pgbouncer', ['-q', join(folder, `${name}.ini`)], {
    ...serverUser(),
    stdio: 'ignore',
    cwd: '/',
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  onTestFinished(async () => {
    process.off('exit', kill);
    const ended = once(child, 'exit');
    kill();
    await ended;
  });
  const through = new URL(server.url);
  through.port = String(port);
  await expect.poll(() => onServer(through.href, async () => true).catch(() => false)).toBe(true);
  return port;
};

/** Skipped, and reported so, if Debian's PgBouncer is missing. */
describe.skipIf(version === '')('PgBouncer in transaction mode', () => {
  test.each([
    ['with nothing else set', ''],
    [
      'that ignores what a session sets',
      'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout',
    ],
  ])(
    '%s: two replicas decide, record and follow changes',
    async (name, extra) => {
      const port = await startPgBouncer(name.replaceAll(' ', '-'), extra);
      const direct = await server.newDatabase();
      const pooled = new URL(direct);
      pooled.port = String(port);
      const settings = { databaseUrl: pooled.href };
      const first = await startTestService({ settings });
      onTestFinished(() => first.stop());
      const second = await startTestService({ settings });
      onTestFinished(() => second.stop());
      const keys = { key: first.liveKey };
      const decide = (service: TestService, at: number) =>
        check(service, ALLOWED, { ...keys, headers: { 'idempotency-key': `${at % 40}` } });
      // The two alternate on the same connections; with named statements some of these fail.
      const replies = await Promise.all(
        Array.from({ length: 8 }, async (_, caller) => {
          const statuses: number[] = [];
          for (let at = 0; at < 15; at += 1) {
            const service = at % 2 === 0 ? first : second;
            statuses.push((await check(service, ALLOWED, keys)).status);
            statuses.push((await decide(service, caller * 15 + at)).status);
          }
          return statuses;
        }),
      );
      expect(new Set(replies.flat())).toEqual(new Set([200]));
      const { body } = await ask(`${second.url}/v1/decisions?limit=200`, { key: first.ownerKey });
      expect(body.decisions.length).toBe(8 * 15 + 40);
      // No notifications arrive here, so the trail of changes is polled.
      const made = await ask(`${first.url}/v1/keys`, {
        key: first.ownerKey,
        json: { kind: 'live', name: 'x' },
      });
      expect((await check(second, ALLOWED, { key: made.body.secret })).status).toBe(200);
      await ask(`${first.url}/v1/keys/${made.body.key.id}`, { method: 'DELETE', key: first.ownerKey });
      const again = () => check(second, ALLOWED, { key: made.body.secret });
      expect((await knownWithin(1_000, again, ({ status }) => status !== 200)).status).toBe(401);
      for (const service of [first, second]) expect((await ask(`${service.url}/readyz`)).status).toBe(200);
    },
    60_000,
  );
});

describe('several hosts in one URL', () => {
  const several = (url: string, ...ports: readonly number[]) =>
    url.replace(/@[^/]+\//, `@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/`);

  const portOf = (proxy: CutProxy) => Number(new URL(proxy.through(server.url)).port);

  test('the first that accepts writes is used, and the next one after a failover', async () => {
    const url = await server.newDatabase();
    const [a, b] = [await CutProxy.to(server.port), await CutProxy.to(server.port)];
    onTestFinished(() => Promise.all([a.close(), b.close()]).then(() => undefined));
    const ports = [await freePort(), portOf(a), portOf(b)];
    const store = await openPostgresStore(`${several(url, ...ports)}?target_session_attrs=read-write`);
    onTestFinished(() => store.close());
    const made = newWorkspace();
    await store.createWorkspace(made.workspace, made.keys);
    const commit = async () => (await commitTo(store, [newRequest(made.workspace.id)]))[0]!.kind;
    expect(await commit()).toBe('committed');
    // The host goes away, as in a failover; the next one has the same data.
    a.lead(1);
    a.hangUp();
    await expect.poll(() => commit().catch(() => 'failed')).toBe('committed');
    expect((await store.health()).kind).toBe('ok');
    expect((await store.listWorkspaces(1))[0]?.id).toBe(made.workspace.id);
  });

  test('a host that accepts no writes is skipped, until it does', async () => {
    const url = await server.newDatabase();
    const name = new URL(url).pathname.slice(1);
    const proxy = await CutProxy.to(server.port);
    onTestFinished(() => proxy.close());
    const store = await openPostgresStore(several(url, portOf(proxy), server.port));
    onTestFinished(() => store.close());
    await onServer(server.url, (client) =>
      client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`),
    );
    proxy.hangUp();
    await expect(openPostgresStore(several(url, portOf(proxy), server.port))).rejects.toMatchObject({
      why: 'read_only',
    });
    await onServer(server.url, (client) =>
      client.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`),
    );
    await expect.poll(() => store.health().then(({ kind }) => kind)).toBe('ok');
  });
});

describe('TLS to the database', () => {
  const withTls = (url: string, host: string, query: string) => `${url.replace('127.0.0.1', host)}?${query}`;
  const isEncrypted = async (url: string): Promise<boolean> => {
    const store = await openPostgresStore(url);
    try {
      const [row] = await onServer(server.url, async (client) => {
        const { rows } = await client.query(
          `SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
           WHERE application_name = 'writecheck' AND datname = $1`,
          [new URL(url).pathname.slice(1)],
        );
        return rows;
      });
      return row.ssl;
    } finally {
      await store.close();
    }
  };

  test('every connection is encrypted to a server that the certificate names, and no other', async () => {
    const warnings: string[] = [];
    const note = (warning: Error) => warnings.push(warning.message);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const url = await server.newDatabase();
    const trusted = `sslrootcert=${folder}/cert.pem`;
    for (const mode of ['require', 'verify-full'])
      expect(await isEncrypted(withTls(url, 'localhost', `sslmode=${mode}&${trusted}`)), mode).toBe(true);
    expect(await isEncrypted(withTls(url, '127.0.0.1', `sslmode=verify-ca&${trusted}`))).toBe(true);
    expect(await isEncrypted(withTls(url, '127.0.0.1', 'sslmode=no-verify'))).toBe(true);
    expect(await isEncrypted(url)).toBe(false);
    for (const [host, query] of [
      // No authority signs the certificate.
      ['localhost', 'sslmode=verify-full'],
      ['localhost', 'sslmode=require'],
      // It belongs to another server.
      ['127.0.0.1', `sslmode=verify-full&${trusted}`],
      ['127.0.0.1', `sslmode=require&${trusted}`],
    ] as const)
      await expect(openPostgresStore(withTls(url, host, query)), query).rejects.toThrow('not trusted');
    expect(warnings.filter((text) => /SSL|sslmode/i.test(text))).toEqual([]);
  });
});
