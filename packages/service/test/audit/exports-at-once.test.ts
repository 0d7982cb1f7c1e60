/** Exports in progress are limited, and each gives its place back, however it ends. */
import { StoreUnavailable } from '@writecheck/store/port';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ask, check, PAUSED, signUp } from '../ask.ts';
import { rawSocket } from '../raw-socket.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
let others: readonly string[];
/** What follows the header of an export waits for this. */
let rest = Promise.withResolvers<void>();
let failsAt: 'begin' | 'middle' | null = null;

const failing = (at: typeof failsAt): void => {
  if (failsAt === at) throw new StoreUnavailable('io', 'the disk is gone');
};

beforeAll(async () => {
  service = await startTestService({
    throughStore: (store) => ({
      ...store,
      segments: async (...asked) => {
        failing('begin');
        return store.segments(...asked);
      },
      listPolicies: async (...asked) => {
        await rest.promise;
        failing('middle');
        return store.listPolicies(...asked);
      },
    }),
  });
  await check(service, PAUSED, { key: service.liveKey });
  others = [(await signUp(service)).ownerKey, (await signUp(service)).ownerKey];
});
afterAll(() => service.stop());
beforeEach(() => {
  rest = Promise.withResolvers();
  failsAt = null;
});

const path = '/v1/audit/export';
const refused = (key = service.ownerKey) => ask(service.url + path, { key });

/** Its response has begun, and the rest of it waits. */
async function begin(key = service.ownerKey, method = 'GET') {
  const connection = await rawSocket(service.url);
  connection.send(`${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  const head = await connection.until((text) => text.includes('\r\n\r\n'));
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  return connection;
}

const isTrailer = (text: string) => text.includes('"kind":"trailer"');

/** Whether both places of the workspace are free: then two begin, and no third. */
async function expectBothFree(): Promise<void> {
  rest = Promise.withResolvers();
  failsAt = null;
  const both = [await begin(), await begin()];
  expect((await refused()).status).toBe(503);
  rest.resolve();
  for (const connection of both) {
    await connection.until(isTrailer);
    connection.socket.destroy();
  }
}

test('a third of one workspace and a fifth of all are refused, with the limit and when to retry', async () => {
  const running = [await begin(), await begin()];
  const third = await refused();
  expect([third.status, third.body.error.code]).toEqual([503, 'overloaded']);
  expect(third.body.error.message).toContain('already has 2 exports in progress, which is the limit');
  expect(third.headers.get('retry-after')).toBe('5');
  running.push(await begin(others[0]), await begin(others[1]));
  const fifth = await refused(others[1]);
  expect(fifth.body.error.message).toContain('already sends 4 exports, which is the limit of one process');
  rest.resolve();
  for (const connection of running) {
    await connection.until(isTrailer);
    connection.socket.destroy();
  }
  await expectBothFree();
});

test('a place is given back if the client leaves in the middle', async () => {
  const running = [await begin(), await begin()];
  for (const { socket } of running) socket.resetAndDestroy();
  rest.resolve();
  await expect.poll(async () => (await refused()).status).toBe(200);
  await expectBothFree();
});

test('if its stream breaks', async () => {
  const running = [await begin(), await begin()];
  failsAt = 'middle';
  rest.resolve();
  for (const connection of running) expect(isTrailer(await connection.closed())).toBe(false);
  await expectBothFree();
});

test('if it cannot begin', async () => {
  failsAt = 'begin';
  for (let i = 0; i < 3; i += 1) expect((await refused()).body.error.code).toBe('store_unavailable');
  await expectBothFree();
});

test('if only its head was asked for', async () => {
  for (let i = 0; i < 3; i += 1) (await begin(service.ownerKey, 'HEAD')).socket.destroy();
  await expectBothFree();
});

test('if its client left before the response', async () => {
  for (let i = 0; i < 3; i += 1) {
    const connection = await rawSocket(service.url);
    connection.send(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.ownerKey}\r\n\r\n`);
    connection.socket.resetAndDestroy();
  }
  rest.resolve();
  await expect.poll(async () => (await refused()).status).toBe(200);
  await expectBothFree();
});
