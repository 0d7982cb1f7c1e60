import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../../src/support/config/settings.ts';
import { ALLOWED, ask } from '../ask.ts';
import { ownerKeyOf, runWritecheck, spawnWritecheck, temporaryFolder } from '../spawn-service.ts';

const QUIET = ['--port', '0', '--log-level', 'warn'];
const run = promisify(execFile);

function askOn(
  agent: Agent,
  url: string,
  key: string,
): Promise<{ readonly status: number; readonly isLast: boolean }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = request(`${url}/v1/check-write`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('error', reject);
      const isLast = response.headers.connection === 'close';
      response.on('end', () => resolve({ status: response.statusCode ?? 0, isLast }));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(ALLOWED));
  });
}

function keysIn(stdout: string) {
  return {
    owner: ownerKeyOf(stdout),
    development: /development key +(wck_dev_\w+)/.exec(stdout)?.[1] ?? '',
  };
}

function othersMayEnter(folder: string): boolean {
  if ((statSync(folder).mode & 0o001) === 0) return false;
  return dirname(folder) === folder || othersMayEnter(dirname(folder));
}

describe('a first start', () => {
  test('prints keys once and a command that works as pasted', async () => {
    const data = temporaryFolder();
    const first = spawnWritecheck(['serve', '--data', data, ...QUIET]);
    const url = await first.listening;
    const commands = first.stdout().match(/^ *curl .*$/gm) ?? [];
    expect(commands).toHaveLength(1);
    const { stdout } = await run('sh', ['-c', commands[0]!]);
    expect(JSON.parse(stdout)).toMatchObject({ decision: 'allow', reason_code: 'requirements_met' });
    const { owner } = keysIn(first.stdout());
    // Output that does not go to a terminal is often kept as a log.
    expect(first.stdout() + first.stderr()).not.toContain('wck_own_');
    expect(first.stdout()).toContain(`owner key        written to ${join(data, 'owner-key')}\n`);
    expect(statSync(join(data, 'owner-key')).mode & 0o777).toBe(0o600);
    expect((await ask(`${url}/v1/usage`, { key: owner })).body.used).toBe(1);
    first.child.kill('SIGTERM');
    expect((await first.finished).code).toBe(0);

    const second = spawnWritecheck(['serve', '--data', data, ...QUIET]);
    const again = await second.listening;
    expect(second.stdout()).not.toContain('wck_');
    expect((await ask(`${again}/v1/usage`, { key: owner })).body.used).toBe(1);
    second.child.kill('SIGTERM');
    await second.finished;
  });

  test('several concurrent starts on one folder create one workspace', async () => {
    const data = temporaryFolder();
    const services = [1, 2, 3].map(() => spawnWritecheck(['serve', '--data', data, ...QUIET]));
    await Promise.all(services.map(({ listening }) => listening));
    const welcomed = services.filter(({ stdout }) => stdout().includes('owner key'));
    expect(welcomed).toHaveLength(1);
    const { development } = keysIn(welcomed[0]!.stdout());
    for (const { listening } of services) {
      const reply = await ask(`${await listening}/v1/check-write`, { key: development, json: ALLOWED });
      expect(reply.body.decision).toBe('allow');
    }
    for (const { child } of services) child.kill('SIGTERM');
    expect((await Promise.all(services.map(({ finished }) => finished))).map(({ code }) => code)).toEqual([
      0, 0, 0,
    ]);
  });
});

describe('several workers', () => {
  test('serve one port from one store, share one workspace, and end together', async () => {
    const data = temporaryFolder();
    const service = spawnWritecheck([
      'serve',
      '--data',
      data,
      '--workers',
      '2',
      '--metrics-port',
      '0',
      '--port',
      '0',
    ]);
    const url = await service.listening;
    const { development, owner } = keysIn(service.stdout());
    const replies = await Promise.all(
      Array.from({ length: 40 }, () =>
        ask(`${url}/v1/check-write`, { key: development, json: ALLOWED, headers: { connection: 'close' } }),
      ),
    );
    expect(replies.map(({ body }) => body.decision)).toEqual(Array(40).fill('allow'));
    expect((await ask(`${url}/v1/usage`, { key: owner })).body.used).toBe(40);
    const metricsUrl = /"metricsUrl":"([^"]+)"/.exec(service.stderr())![1]!;
    const metrics = await ask(`${metricsUrl}/metrics`);
    expect(metrics.text).toMatch(
      /writecheck_decisions_total\{decision="allow",reason_code="requirements_met"\} 40/,
    );
    const pids = new Set([...service.stderr().matchAll(/"pid":(\d+)/g)].map(([, pid]) => pid));
    expect(pids.size).toBeGreaterThanOrEqual(1);
    service.child.kill('SIGTERM');
    expect((await service.finished).code).toBe(0);
  });

  test('count sign-ups together', { tags: 'nightly' }, async () => {
    const args = ['--workers', '2', '--port', '0', '--signups-per-hour', '3'];
    const service = spawnWritecheck(['serve', '--data', temporaryFolder(), ...args]);
    const url = await service.listening;
    const statuses: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const headers = { connection: 'close' };
      statuses.push((await ask(`${url}/v1/workspaces`, { json: { name: 'x' }, headers })).status);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(statuses).toEqual([201, 201, 201, 429, 429, 429]);
    service.child.kill('SIGTERM');
    expect((await service.finished).code).toBe(0);
  });
});

describe.skipIf(process.platform !== 'linux')('a port that threads share', () => {
  test('is not accidentally shared with a second service', async () => {
    const first = spawnWritecheck(['serve', '--data', temporaryFolder(), '--workers', '2', '--port', '0']);
    const { port } = new URL(await first.listening);
    for (const workers of ['1', '2']) {
      const args = ['--data', temporaryFolder(), '--workers', workers, '--port', port];
      const { code, stderr } = await runWritecheck(['serve', ...args]);
      expect([code, stderr]).toEqual([1, expect.stringContaining('in use')]);
    }
    first.child.kill('SIGTERM');
    expect((await first.finished).code).toBe(0);
  });
});

describe('a start that is impossible', () => {
  test('lists every wrong setting together, and opens nothing', async () => {
    const data = join(temporaryFolder(), 'never');
    const { code, stderr } = await runWritecheck(['serve', '--port', 'x', '--plan', 'free', '--data', data], {
      WRITECHECK_SIGNUP: 'maybe',
      WRITECHECK_POLICES: '/etc',
    });
    expect(code).toBe(1);
    for (const place of ['--port', '--plan', 'WRITECHECK_SIGNUP', 'WRITECHECK_POLICES'])
      expect(stderr).toContain(`- ${place}`);
    expect(existsSync(data)).toBe(false);
  });

  test('a missing policy folder is named', async () => {
    const { code, stderr } = await runWritecheck([
      'serve',
      ...['--policies', '/nowhere/policies', '--data', temporaryFolder(), '--port', '0'],
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('`/nowhere/policies`')]);
  });

  test('a port in use is named, with the fix, and the first workspace is not lost', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const data = temporaryFolder();
    for (const workers of ['1', '2']) {
      const { code, stderr, stdout } = await runWritecheck([
        'serve',
        '--data',
        data,
        '--port',
        String(port),
        '--workers',
        workers,
      ]);
      expect(code).toBe(1);
      expect(stderr).toContain(`port ${port} on \`127.0.0.1\` is in use`);
      expect(stdout).not.toContain('wck_');
    }
    other.close();
    const service = spawnWritecheck(['serve', '--data', data, ...QUIET]);
    await service.listening;
    expect(service.stdout()).toContain('wck_dev_');
    service.child.kill('SIGTERM');
    await service.finished;
  });

  test('a file that is not a database is named and left unchanged', async () => {
    const data = temporaryFolder();
    const file = join(data, 'writecheck.db');
    writeFileSync(file, 'this is my shopping list, not a database. '.repeat(200));
    const { code, stderr } = await runWritecheck(['serve', '--data', data, ...QUIET]);
    expect(code).toBe(1);
    expect(stderr).toContain('not a database');
    expect(stderr).not.toMatch(/SQLITE|\n\s+at /);
    expect(readFileSync(file, 'utf8')).toContain('shopping list');
  });

  // Root may write anywhere, so as root the test runs as nobody, who needs access to this folder.
  const uid = process.getuid?.() === 0 ? 65_534 : undefined;
  const isReachable = uid === undefined || othersMayEnter(import.meta.dirname);
  test.skipIf(!isReachable)('a folder without write permission is reported', async () => {
    const data = temporaryFolder();
    chmodSync(data, 0o555);
    const { code, stderr } = await spawnWritecheck(['serve', '--data', data, ...QUIET], {}, '', uid).finished;
    expect(code).toBe(1);
    expect(stderr).toContain(`the store under \`${data}\` cannot be used`);
    expect(stderr).toMatch(/cannot be read or written|read-only/);
  });

  test('a data folder that is a file, or on a read-only file system, is reported', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const unusable = (data: string) => [data, `the store under \`${data}\` cannot be used`] as const;
    const file = join(folder, 'file');
    for (const [data, said] of [
      [file, `\`${file}\` is a file; name a folder with --data`] as const,
      ...[join(file, 'below'), '/sys/writecheck'].map(unusable),
    ]) {
      const { code, stderr, stdout } = await runWritecheck(['serve', '--data', data, ...QUIET]);
      expect([data, code, stdout]).toEqual([data, 1, '']);
      expect(stderr).toContain(said);
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  });
});

describe('an end by SIGTERM', () => {
  test('under load: every response in progress is sent, then it exits 0', async () => {
    const data = temporaryFolder();
    mkdirSync(data, { recursive: true });
    const service = spawnWritecheck(['serve', '--data', data, ...QUIET]);
    const url = await service.listening;
    const { development, owner } = keysIn(service.stdout());
    const live = await ask(`${url}/v1/keys`, { key: owner, json: { kind: 'live', name: 'load' } });
    let answered = 0;
    const broken: unknown[] = [];
    // Each uses one connection, until a response says that it was the last.
    const load = Array.from({ length: 32 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (;;) {
        const reply = await askOn(agent, url, live.body.secret).catch((error) => ({
          status: 0,
          isLast: true,
          error,
        }));
        if (reply.status === 200) answered += 1;
        // A request after the grace time for idle connections finds its connection closed, and was never read.
        else if (!('error' in reply && reply.error.code === 'ECONNRESET')) broken.push(reply);
        if (reply.isLast) break;
      }
      agent.destroy();
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const startedMs = performance.now();
    service.child.kill('SIGTERM');
    const { code } = await service.finished;
    await Promise.all(load);
    expect(code).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    expect(answered).toBeGreaterThan(0);
    expect(broken).toEqual([]);

    const again = spawnWritecheck(['serve', '--data', data, ...QUIET]);
    const usage = await ask(`${await again.listening}/v1/usage`, { key: owner });
    // Every decision had its response.
    expect(usage.body.live.used).toBe(answered);
    expect(development).not.toBe('');
    again.child.kill('SIGTERM');
    await again.finished;
  });

  test('with a caller that never finishes its request, it still exits 0 within 10 s', {
    tags: 'nightly',
  }, async () => {
    const service = spawnWritecheck(['serve', '--data', temporaryFolder(), ...QUIET]);
    const url = await service.listening;
    const { development } = keysIn(service.stdout());
    const { rawSocket } = await import('../raw-socket.ts');
    const slow = await rawSocket(url);
    slow.send(
      `POST /v1/check-write HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${development}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    const startedMs = performance.now();
    service.child.kill('SIGTERM');
    expect((await service.finished).code).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    slow.socket.destroy();
  });
});

test('help explains every setting with its variable and default', async () => {
  const { code, stdout } = await runWritecheck(['serve', '--help'], { COLUMNS: '400' });
  expect(code).toBe(0);
  for (const { flag, variable, fallbackShown, help } of Object.values(SETTINGS)) {
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`${help} [${variable}, default ${fallbackShown}]`);
    expect(stdout).toContain(flag);
  }
  expect(stdout).toContain('Examples:');
});
