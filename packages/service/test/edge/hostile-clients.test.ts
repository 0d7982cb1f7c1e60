/** Slow, broken and hostile callers get an error or a closed connection, and no other caller notices. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALLOWED, ask, check, PAUSED, signUp } from '../ask.ts';
import { type RawSocket, rawSocket } from '../raw-socket.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const MIB = 1024 * 1024;
const HEAD = () =>
  `POST /v1/check-write HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.liveKey}\r\nContent-Type: application/json\r\n`;

/** Everything received until the connection is closed. */
async function raw(text: string): Promise<string> {
  const connection = await rawSocket(service.url);
  connection.send(text);
  return connection.closed();
}

describe('broken requests', () => {
  test.each([
    ['no HTTP at all', () => 'hello\r\n\r\n'],
    [
      'both a length and chunks',
      () => `${HEAD()}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'chunks before a length',
      () => `${HEAD()}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    ],
    ['two lengths', () => `${HEAD()}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`],
    ['a negative length', () => `${HEAD()}Content-Length: -1\r\n\r\n`],
    ['a length that is no number', () => `${HEAD()}Content-Length: 0x10\r\n\r\n`],
    [
      'chunks that are not the last encoding',
      () => `${HEAD()}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
    ],
    ['a chunk size that is no number', () => `${HEAD()}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`],
    ['a header without a name', () => `${HEAD()}: x\r\n\r\n`],
    ['a space before the colon', () => `${HEAD()}Content-Length : 5\r\n\r\nhello`],
    ['a bare line feed in a header', () => `${HEAD()}X: a\nContent-Length: 5\r\n\r\nhello`],
    ['a null byte in a header', () => `${HEAD()}X: a\u0000b\r\n\r\n`],
    ['no host', () => 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['two hosts', () => 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['another version', () => 'GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n'],
    ['headers beyond 16 KiB', () => `${HEAD()}X: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['a request line beyond 16 KiB', () => `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('%s is 400 with the error envelope, and the connection is closed', async (_name, text) => {
    const answer = await raw(text());
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.toLowerCase()).toContain('content-type: application/problem+json');
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    expect(body).toMatchObject({ allowed: false, failClosed: true, status: 400 });
  });

  test('CONNECT is refused and the connection closed', async () => {
    const text = await raw('CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 405 /);
  });

  test('a smuggled second request never gets a response', async () => {
    const inner = 'GET /v1/usage HTTP/1.1\r\nHost: x\r\n\r\n';
    const text = await raw(
      `${HEAD()}Content-Length: ${inner.length + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
    );
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test('pipelined requests each get a response, in order', async () => {
    const one = 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-ID: ';
    const text = await raw(`${one}a\r\n\r\n${one}b\r\n\r\n${one}c\r\nConnection: close\r\n\r\n`);
    expect(text.match(/x-request-id: \w/g)).toEqual([
      'x-request-id: a',
      'x-request-id: b',
      'x-request-id: c',
    ]);
  });

  test.each([
    ['hangs up', '', true, []],
    ['sends what is no request', 'garbage\r\n\r\n', false, ['400']],
    ['sends half a request and hangs up', 'POST /v1/check-wri', true, ['400']],
  ])(
    'a caller that sends two requests together, then %s, gets a response to each',
    async (_name, more, hangsUp, last) => {
      const body = JSON.stringify(ALLOWED);
      const one = `${HEAD()}Content-Length: ${body.length}\r\n\r\n${body}`;
      const usedBefore = (await ask(`${service.url}/v1/usage`, { key: service.ownerKey })).body.live.used;
      const connection = await rawSocket(service.url);
      connection.send(`${one}${one}${more}`);
      if (hangsUp) connection.socket.end();
      const text = await connection.closed();
      expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
        ...['200', '200'],
        ...last,
      ]);
      const used = (await ask(`${service.url}/v1/usage`, { key: service.ownerKey })).body.live.used;
      expect(used - usedBefore).toBe(2);
    },
  );

  test('a body with too large a length is refused before it is sent', async () => {
    const text = await raw(`${HEAD()}Content-Length: 70000\r\nExpect: 100-continue\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).not.toContain('100 Continue');
    expect(text.toLowerCase()).toContain('connection: close');
  });

  test('an unknown expectation is refused', async () => {
    const text = await raw(`${HEAD()}Content-Length: 2\r\nExpect: zork\r\n\r\n{}`);
    expect(text).toMatch(/^HTTP\/1\.1 417 Expectation Failed\r\n/);
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({ status: 417, success: false });
  });

  test('an acceptable body gets `100 Continue`, once', async () => {
    const body = JSON.stringify(PAUSED);
    const connection = await rawSocket(service.url);
    connection.send(`${HEAD()}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`);
    expect(await connection.until((text) => text.includes('\r\n\r\n'))).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    connection.send(body);
    const isDecided = (text: string) => text.includes('"decision":"pause"');
    expect(isDecided(await connection.until(isDecided))).toBe(true);
    connection.socket.destroy();
  });

  test('a body that grows too large in chunks is refused while it streams', async () => {
    const connection = await rawSocket(service.url);
    connection.send(`${HEAD()}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `1000\r\n${'x'.repeat(4_096)}\r\n`;
    for (let sent = 0; sent < 17; sent += 1) connection.send(chunk);
    expect(await connection.until((text) => text.includes('\r\n\r\n'))).toMatch(/^HTTP\/1\.1 413 /);
    connection.socket.destroy();
  });

  test('an endless body is cut off', async () => {
    const connection = await rawSocket(service.url);
    connection.send(`${HEAD()}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const { socket } = connection;
    let sentBytes = 0;
    while (socket.writable && sentBytes < 64 * MIB) {
      if (!socket.writableNeedDrain) {
        connection.send(chunk);
        sentBytes += chunk.length;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    // What the service reads, and what the system keeps for either side.
    expect(sentBytes).toBeLessThan(32 * MIB);
    await connection.closed();
  });

  test('a caller that leaves in the middle leaves nothing behind', async () => {
    const before = (await ask(`${service.url}/v1/usage`, { key: service.ownerKey })).body.live.used;
    for (let round = 0; round < 20; round += 1) {
      const connection = await rawSocket(service.url);
      connection.send(`${HEAD()}Content-Length: 500\r\n\r\n{"system":`);
      connection.socket.destroy();
    }
    expect((await check(service, ALLOWED, { key: service.liveKey })).status).toBe(200);
    const after = (await ask(`${service.url}/v1/usage`, { key: service.ownerKey })).body.live.used;
    expect(after).toBe(before + 1);
  });
});

describe('slow callers', () => {
  test('a thousand idle sockets and a hundred slow ones do not slow others down, and are closed', {
    tags: 'nightly',
  }, async () => {
    const idle = await Promise.all(Array.from({ length: 1_000 }, () => rawSocket(service.url)));
    const slow: RawSocket[] = await Promise.all(Array.from({ length: 100 }, () => rawSocket(service.url)));
    for (const connection of slow) connection.send('POST /v1/check-write HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    const dripping = setInterval(() => {
      for (const connection of slow) connection.send('x');
    }, 500);
    const startedMs = performance.now();
    for (let round = 0; round < 50; round += 1) {
      expect((await check(service, ALLOWED, { key: service.liveKey })).status).toBe(200);
    }
    expect((performance.now() - startedMs) / 50).toBeLessThan(100);
    const answers = await Promise.all(slow.map((connection) => connection.closed()));
    clearInterval(dripping);
    for (const text of answers) expect(text).toMatch(/^HTTP\/1\.1 400 .*took too long/s);
    await Promise.all(idle.map((connection) => connection.closed()));
  });
});

describe('limits by address', () => {
  test('failed authentications are limited, and a valid key is still served', async () => {
    const limited = await startTestService();
    const failures = await Promise.all(
      Array.from({ length: 130 }, () => check(limited, ALLOWED, { key: 'wck_live_wrong' })),
    );
    expect(failures.filter(({ status }) => status === 401)).toHaveLength(120);
    const over = failures.filter(({ status }) => status === 429);
    expect(over).toHaveLength(10);
    expect(over[0]!.body.error.code).toBe('rate_limited');
    expect(Number(over[0]!.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await check(limited, ALLOWED)).status).toBe(200);
    await limited.stop();
  });

  test('sign-ups are limited by the hour, and by the address that a trusted proxy names', async () => {
    let nowMs = Date.now();
    const limited = await startTestService({
      clock: () => nowMs,
      settings: { signupsPerHour: '3', trustProxy: '127.0.0.1' },
    });
    const from = async (address: string, json: unknown = { name: 'x' }) =>
      (await ask(`${limited.url}/v1/workspaces`, { json, headers: { 'x-forwarded-for': address } })).status;
    expect(await from('203.0.113.1', {})).toBe(422);
    expect([await from('203.0.113.1'), await from('203.0.113.1'), await from('203.0.113.1')]).toEqual([
      201, 201, 201,
    ]);
    expect(await from('203.0.113.1')).toBe(429);
    expect(await from('203.0.113.1', {})).toBe(429);
    expect(await from('203.0.113.2')).toBe(201);
    expect([await from('2001:db8::1'), await from('2001:db8::2'), await from('2001:db8::3')]).toEqual([
      201, 201, 201,
    ]);
    expect(await from('2001:db8::4')).toBe(429);
    expect(await from('2001:db8:0:1::1')).toBe(201);
    nowMs += 3_600_000;
    expect(await from('203.0.113.1')).toBe(201);
    await limited.stop();
  });

  test('without a trusted proxy the header changes nothing', async () => {
    const limited = await startTestService({ settings: { signupsPerHour: '1' } });
    await signUp(limited);
    const reply = await ask(`${limited.url}/v1/workspaces`, {
      json: { name: 'x' },
      headers: { 'x-forwarded-for': '203.0.113.77' },
    });
    expect(reply.status).toBe(429);
    await limited.stop();
  });

  test('each of several evaluations counts', async () => {
    let nowMs = Date.now();
    const limited = await startTestService({ clock: () => nowMs, settings: { ratePerKey: '10' } });
    const several = { key: limited.liveKey, json: { evaluations: Array(50).fill({}) } };
    const live = async () => (await check(limited, PAUSED, { key: limited.liveKey })).status;
    expect((await ask(`${limited.url}/access/v1/evaluations`, several)).status).toBe(200);
    nowMs += 4_999;
    expect(await live()).toBe(429);
    nowMs += 1;
    expect(await live()).toBe(200);
    await limited.stop();
  });

  test('the rate of a key is limited if configured, and shown in headers', async () => {
    let nowMs = Date.now();
    const limited = await startTestService({ clock: () => nowMs, settings: { ratePerKey: '2' } });
    const first = await check(limited, PAUSED);
    expect(first.headers.get('ratelimit-policy')).toMatch(/^"key";q=2;w=1, "development";q=1000;w=\d+$/);
    expect(first.headers.get('ratelimit')).toMatch(/^"key";r=1;t=1, "development";r=999;t=\d+$/);
    expect((await check(limited, PAUSED)).status).toBe(200);
    const over = await check(limited, PAUSED);
    expect([over.status, over.body.error.code, over.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '1',
    ]);
    expect((await check(limited, PAUSED, { key: limited.liveKey })).status).toBe(200);
    nowMs += 1_000;
    expect((await check(limited, PAUSED)).status).toBe(200);
    await limited.stop();
  });
});
