import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { Answer } from '../../exchange/answer.ts';
import { createSecret } from '../../features/keys/key-format.ts';
import { IdleSweep } from './idle-sweep.ts';
import { PlainConnection, type PlainParts } from './plain-connection.ts';

const REQUEST = [
  'POST /v1/check-write HTTP/1.1',
  'Host: x',
  `Authorization: Bearer ${createSecret('live')}`,
  'Content-Type: application/json',
  'Content-Length: 2',
  '',
  '{}',
].join('\r\n');
const ALLOW: Answer = { status: 200, headers: {}, body: '{"decision":"allow"}' };
const FAILED: Answer = { status: 500, headers: {}, body: '{"allowed":false}' };

/** What a client receives on a connection with these parts, and what was logged as failed. */
async function received(
  parts: Partial<PlainParts>,
  sent = REQUEST,
  read: (socket: Socket) => void = () => {},
  isDraining = true,
) {
  const failures: string[] = [];
  const failedIds: string[] = [];
  const sweep = new IdleSweep<PlainConnection>();
  sweep.isDraining = isDraining;
  const allParts: PlainParts = {
    clock: () => 0,
    handle: async () => ALLOW,
    failed: (error, { requestId }) => {
      failures.push(String(error));
      failedIds.push(requestId);
      return FAILED;
    },
    handOver: (socket) => void socket.end('handed over'),
    finished: () => {},
    firstByteTimeoutMs: 5_000,
    idleTimeoutMs: 5_000,
    ...parts,
  };
  const server = createServer(
    { allowHalfOpen: true },
    (socket) => void new PlainConnection(allParts, sweep, socket),
  );
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
  sweep.stop();
  return { text, failures, failedIds };
}

function fail(what: string) {
  return (): never => {
    throw new Error(what);
  };
}

const onceBroken = () => {
  let isBroken = true;
  return () => {
    if (!isBroken) return 0;
    isBroken = false;
    throw new Error('broken');
  };
};

test('a plain check gets a response', async () => {
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
])('`content-length` counts bytes, whatever the characters: %s', async (body, bytes) => {
  const { text } = await received({ handle: async () => ({ ...ALLOW, body }) });
  expect(text).toContain(`\r\ncontent-length: ${bytes}\r\n`);
  expect(text.endsWith(`\r\n\r\n${body}`)).toBe(true);
});

test('each response has its own headers', async () => {
  const own = await received({ handle: async () => ({ ...ALLOW, headers: { ratelimit: 'r=1' } }) });
  expect(own.text).toContain('\r\nratelimit: r=1\r\n');
  expect((await received({})).text).not.toContain('ratelimit');
});

test('a failure is logged under the request id that the client got', async () => {
  const after = await received({ finished: fail('the observer is broken') });
  expect(after.failures).toEqual(['Error: the observer is broken']);
  expect(after.text).toContain(`\r\nx-request-id: ${after.failedIds[0]}\r\n`);
});

test.each([
  ['the clock throws', { clock: onceBroken() }],
  ['the gates throw', { handle: () => Promise.reject(new Error('broken')) }],
  [
    'a header cannot be written',
    { handle: async () => ({ ...ALLOW, headers: { allow: 'a\r\nb: c' } }) },
    'TypeError [ERR_INVALID_CHAR]: Invalid character in header content ["allow"]',
  ],
  [
    'the response cannot be written',
    {
      handle: async () => ({
        ...ALLOW,
        get headers(): Answer['headers'] {
          throw new Error('broken');
        },
      }),
    },
  ],
] as [string, Partial<PlainParts>, string?][])(
  'if %s, one connection ends and nothing else',
  async (_name, parts, failure = 'Error: broken') => {
    const { text, failures } = await received(parts);
    expect(text).toBe('');
    expect(failures).toEqual([failure]);
  },
);

test('if a connection cannot be handed over, it ends and nothing else does', async () => {
  const { text, failures } = await received(
    { handOver: fail('broken') },
    REQUEST.replace('/v1/check-write', '/v1/keys'),
  );
  expect(text).toBe('');
  expect(failures).toEqual(['Error: broken']);
});

test('a connection that sends nothing is closed', async () => {
  const { text } = await received({ firstByteTimeoutMs: 100, idleTimeoutMs: 3_600_000 }, '');
  expect(text).toBe('');
});

test('a caller that reads a long response slowly gets all of it, and one that reads nothing is cut', async () => {
  const body = Buffer.alloc(24 * 1024 * 1024, 'a');
  // Reading takes longer in total than the idle timeout, but no pause in it comes near the timeout.
  for (const [reads, idleTimeoutMs] of [
    [true, 2_000],
    [false, 400],
  ] as const) {
    let taken = 0;
    const parts = { idleTimeoutMs, handle: async () => ({ ...ALLOW, body }) };
    const readSlowly = (socket: Socket): void => {
      socket.removeAllListeners('data');
      socket.on('data', (chunk) => {
        const isFirst = taken === 0;
        taken += chunk.length;
        if (!reads && !isFirst) return;
        socket.pause();
        setTimeout(() => socket.resume(), reads ? 8 : 1_500);
      });
    };
    await received(parts, REQUEST, readSlowly, false);
    expect(taken > body.length).toBe(reads);
  }
});

test('a connection is closed only after its response, once it is idle', async () => {
  const handle = () => new Promise<Answer>((resolve) => setTimeout(() => resolve(ALLOW), 1_500));
  const parts = { handle, firstByteTimeoutMs: 100, idleTimeoutMs: 100 };
  const { text } = await received(parts, REQUEST, () => {}, false);
  expect(text.endsWith('{"decision":"allow"}')).toBe(true);
});
