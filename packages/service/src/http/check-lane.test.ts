import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { CheckAnswer } from '../check-write/answer.ts';
import { createSecret } from '../keys/key-format.ts';
import type { Answer } from './answer.ts';
import { checkLane, type LaneParts } from './check-lane.ts';

const REQUEST = [
  'POST /v1/check-write HTTP/1.1',
  'Host: x',
  `Authorization: Bearer ${createSecret('live')}`,
  'Content-Type: application/json',
  'Content-Length: 2',
  '',
  '{}',
].join('\r\n');
const KEY = { kind: 'key', key: { kind: 'live' } } as Awaited<ReturnType<LaneParts['authenticate']>>;
const ALLOW: CheckAnswer = { status: 200, headers: {}, body: '{"decision":"allow"}' };
const FAILED: Answer = { status: 500, headers: {}, body: '{"allowed":false}' };

/** What a caller receives from a lane with these parts, and what the lane called a failure. */
async function received(
  parts: Partial<LaneParts>,
  sent = REQUEST,
  read: (socket: Socket) => void = () => {},
) {
  const failures: string[] = [];
  const lane = checkLane({
    clock: () => 0,
    authenticate: () => KEY,
    check: async () => ALLOW,
    failed: (error) => {
      failures.push(String(error));
      return FAILED;
    },
    handOver: (socket) => void socket.end('handed over'),
    isDraining: () => true,
    finished: () => {},
    firstByteTimeoutMs: 5_000,
    idleTimeoutMs: 5_000,
    ...parts,
  });
  const server = createServer({ allowHalfOpen: true }, (socket) => lane.take(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  read(socket);
  if (sent !== '') socket.write(sent);
  await new Promise((resolve) => socket.once('close', resolve));
  server.close();
  lane.stop();
  return { text, failures };
}

function fail(what: string) {
  return (): never => {
    throw new Error(what);
  };
}

test('a plain check is answered', async () => {
  const { text, failures } = await received({});
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(text.endsWith('{"decision":"allow"}')).toBe(true);
  expect(failures).toEqual([]);
});

test.each([
  ['{"reason":"plain"}', 18],
  ['{"reason":"Straße"}', 20],
  ['{"reason":"金額 𝔘"}', 24],
  [Buffer.from('{"reason":"金額"}'), 19],
])('an answer is as long as it says in bytes, whatever its letters: %s', async (body, bytes) => {
  const { text } = await received({ check: async () => ({ ...ALLOW, body }) });
  expect(text).toContain(`\r\ncontent-length: ${bytes}\r\n`);
  expect(text.endsWith(`\r\n\r\n${body}`)).toBe(true);
});

test('each answer has its own headers', async () => {
  const own = await received({ check: async () => ({ ...ALLOW, headers: { ratelimit: 'r=1' } }) });
  expect(own.text).toContain('\r\nratelimit: r=1\r\n');
  expect((await received({})).text).not.toContain('ratelimit');
});

test('a check that fails is told as failed, and no allow comes out', async () => {
  const { text, failures } = await received({ check: () => Promise.reject(new Error('check')) });
  expect(text).toMatch(/^HTTP\/1\.1 500 /);
  expect(text).not.toContain('allow"');
  expect(failures).toEqual(['Error: check']);
});

test('a key that cannot be looked up goes the ordinary way', async () => {
  const { text } = await received({ authenticate: () => Promise.reject(new Error('store')) });
  expect(text).toBe('handed over');
});

test.each([
  ['the look-up throws', { authenticate: fail('broken') }],
  [
    'the hand-over throws',
    { authenticate: async () => ({ kind: 'refused' }) as typeof KEY, handOver: fail('broken') },
  ],
  [
    'the answer cannot be written',
    {
      check: async () => ({
        ...ALLOW,
        get headers(): Answer['headers'] {
          throw new Error('broken');
        },
      }),
    },
  ],
] as [string, Partial<LaneParts>][])(
  'where %s, one connection ends and nothing else',
  async (_name, parts) => {
    const { text, failures } = await received(parts);
    expect(text).toBe('');
    expect(failures).toEqual(['Error: broken']);
  },
);

test('a connection on which nothing comes is closed', async () => {
  const startedMs = performance.now();
  expect((await received({ firstByteTimeoutMs: 100 }, '')).text).toBe('');
  expect(performance.now() - startedMs).toBeLessThan(2_500);
});

test('a caller that reads a long answer bit by bit gets all of it, and one that reads nothing is cut', async () => {
  const body = Buffer.alloc(24 * 1024 * 1024, 'a');
  for (const reads of [true, false]) {
    let taken = 0;
    const parts = { isDraining: () => false, idleTimeoutMs: 400, check: async () => ({ ...ALLOW, body }) };
    await received(parts, REQUEST, (socket) => {
      socket.removeAllListeners('data');
      socket.on('data', (chunk) => {
        const isFirst = taken === 0;
        taken += chunk.length;
        if (!reads && !isFirst) return;
        socket.pause();
        setTimeout(() => socket.resume(), reads ? 5 : 1_500);
      });
    });
    expect(taken > body.length).toBe(reads);
  }
}, 20_000);

test('a connection is not closed before its answer, and after it once it lies idle', async () => {
  const check = () => new Promise<CheckAnswer>((resolve) => setTimeout(() => resolve(ALLOW), 1_500));
  const { text } = await received({
    ...{ check, isDraining: () => false, firstByteTimeoutMs: 100, idleTimeoutMs: 100 },
  });
  expect(text.endsWith('{"decision":"allow"}')).toBe(true);
});
