/** No request delays the others, and no response repeats or imitates what its caller sent. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALLOWED, ask, check } from '../ask.ts';
import { rawSocket } from '../raw-socket.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/**
 * Processor time of this thread, on which the service runs and for which others wait. The least of three,
 * because other tests collect garbage too.
 */
async function spentMs(work: () => Promise<unknown>): Promise<number> {
  const spent: number[] = [];
  for (let times = 0; times < 3; times += 1) {
    const before = process.threadCpuUsage();
    await work();
    spent.push(process.threadCpuUsage(before).user / 1_000);
  }
  return Math.min(...spent);
}

/** Generous: the attacks took 14 and 0.2 seconds. */
const STALL_MS_MAX = 150;

test('a long unknown name without a key costs little and is shortened in the error', async () => {
  const json = { ['-eyJ'.repeat(16_000)]: 1 };
  const attack = () => ask(`${service.url}/v1/workspaces`, { json });
  const { status, text } = await attack();
  expect(status).toBe(422);
  expect(text.length).toBeLessThan(2_000);
  expect(await spentMs(attack)).toBeLessThan(STALL_MS_MAX);
});

test('thousands of names in a query cost little', async () => {
  const names = Array.from({ length: 3_500 }, (_, at) => at.toString(36)).join('&');
  const attack = () => ask(`${service.url}/v1/decisions?${names}`, { key: service.developmentKey });
  expect((await attack()).status).toBe(422);
  expect(await spentMs(attack)).toBeLessThan(STALL_MS_MAX);
});

test.each([
  ['a name', { [`required${'_'.repeat(9_000)}Controls`]: [] }, 422],
  ['a name that is there twice', `{"${'a'.repeat(9_000)}":1,"${'a'.repeat(9_000)}":1}`, 400],
  [
    'a path',
    `${'{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":'.repeat(30)}x`,
    400,
  ],
])('an error about a check repeats at most 200 characters of %s', async (_what, sent, status) => {
  const body = typeof sent === 'string' ? sent : JSON.stringify({ ...ALLOWED, ...sent });
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', key: service.liveKey, headers, body };
  const reply = await ask(`${service.url}/v1/check-write`, init);
  expect(reply.status).toBe(status);
  for (const { pointer, message } of reply.body.error.details) {
    expect(pointer.length).toBeLessThanOrEqual(201);
    expect(message.length).toBeLessThan(300);
  }
  expect(reply.body.detail.length).toBeLessThan(400);
});

test('a policy error shortens the name of its place', async () => {
  const json = { documents: [{ kind: 'Profile', id: 'p', version: '1', ['x'.repeat(90_000)]: 1 }] };
  const reply = await ask(`${service.url}/v1/policies`, { method: 'PUT', key: service.ownerKey, json });
  expect(reply.status).toBe(422);
  expect(reply.text.length).toBeLessThan(3_000);
});

const HOST = 'Host: 127.0.0.1\r\n';

test('every response forbids guessing another media type', async () => {
  const head = async (request: string): Promise<string> => {
    const connection = await rawSocket(service.url);
    connection.send(request);
    const text = await connection.until((received) => received.includes('\r\n\r\n'));
    connection.socket.destroy();
    return text.slice(0, text.indexOf('\r\n\r\n'));
  };
  const owner = `${HOST}Authorization: Bearer ${service.ownerKey}\r\n`;
  for (const [status, request] of [
    [200, `GET /healthz HTTP/1.1\r\n${HOST}\r\n`],
    [200, `HEAD /openapi.json HTTP/1.1\r\n${HOST}\r\n`],
    [200, `GET /v1/audit/export HTTP/1.1\r\n${owner}\r\n`],
    [204, `OPTIONS /v1/keys HTTP/1.1\r\n${HOST}\r\n`],
    [400, 'GET /healthz HTTP/1.1\r\n\r\n'],
    [400, 'not HTTP\r\n\r\n'],
    [401, `GET /v1/keys HTTP/1.1\r\n${HOST}\r\n`],
    [404, `GET /nothing HTTP/1.1\r\n${HOST}\r\n`],
    [421, 'GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n'],
  ] as const) {
    const answered = await head(request);
    expect(answered).toContain(`HTTP/1.1 ${status} `);
    expect(answered.match(/x-content-type-options: nosniff/gi), request).toHaveLength(1);
  }
  expect((await check(service, ALLOWED)).headers.get('x-content-type-options')).toBe('nosniff');
});

test.each([
  ['application/json', 200],
  ['application/json ; charset=utf-8', 200],
  ['application/json\t;charset=utf-8', 200],
  ['application/json\u00a0', 415],
  ['application/json\u00a0; charset=utf-8', 415],
  ['application/json\u0085', 415],
])('only spaces and tabs may follow a media type, in one piece or two: %j', async (type, status) => {
  const body = JSON.stringify(ALLOWED);
  const head = `POST /v1/check-write HTTP/1.1\r\n${HOST}Authorization: Bearer ${service.liveKey}\r\n`;
  const request = `${head}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  for (const cut of [request.length, 20]) {
    const connection = await rawSocket(service.url);
    connection.socket.write(request.slice(0, cut), 'latin1');
    if (cut < request.length) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      connection.socket.write(request.slice(cut), 'latin1');
    }
    const text = await connection.until((received) => received.includes('\r\n\r\n'));
    connection.socket.destroy();
    expect(text).toContain(`HTTP/1.1 ${status} `);
  }
});
