import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { ERROR_CATALOGUE, type ErrorCode } from '@writecheck/contract';
import { afterEach, expect, test } from 'vitest';
import { askBothWays, checkBytes } from '../../../test/edge/both-ways.ts';
import type { Answer } from '../../exchange/answer.ts';
import { problemAnswer } from '../../exchange/problem-answer.ts';
import { refuse } from '../../exchange/refusal.ts';
import { respondOnNode } from '../write-response.ts';
import type { ConnectionParts } from './connection-parts.ts';
import { httpServer } from './node-server.ts';

let stop = async () => {};
afterEach(() => stop());

async function serve(parts: Partial<ConnectionParts>): Promise<string> {
  const { server, drain } = httpServer({
    clock: () => 0,
    handle: async () => ({ status: 200, headers: {}, body: '{}' }),
    failed: () => ({ status: 500, headers: {}, body: '{}' }),
    finished: () => {},
    ...parts,
  });
  stop = () => drain({ idleGraceMs: 0, deadlineMs: 0 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('every code of the catalogue is written with the same bytes by both parsers', async () => {
  let code: ErrorCode = 'not_found';
  const url = await serve({
    handle: async (_request, context) =>
      problemAnswer(
        context,
        { ...refuse(code, `“${code}”`), retryAfterMs: 1_500 },
        { ratelimit: '"key";r=0' },
      ),
  });
  for (code of Object.keys(ERROR_CATALOGUE) as ErrorCode[]) {
    const { plain, node } = await askBothWays(url, checkBytes(url, { key: null, body: '{}' }));
    expect(plain).toBe(node);
    expect(plain).toContain(`"${code}"`);
  }
});

test.each([
  ['a response without a body', { status: 200, headers: {}, body: '' }],
  ['a response in bytes', { status: 200, headers: { 'x-a': 'b' }, body: Buffer.from('{"a":"ü"}') }],
] satisfies [string, Answer][])(
  '%s is written with the same bytes by both parsers',
  async (_name, answer) => {
    const url = await serve({ handle: async () => answer });
    const { plain, node } = await askBothWays(url, checkBytes(url, { key: null, body: '{}' }));
    expect(plain).toBe(node);
  },
);

test('a stream that breaks is cut, and logged under the request id that the client got', async () => {
  const failed: string[] = [];
  async function* stream() {
    yield 'the first piece';
    throw new Error('the store went away');
  }
  const url = await serve({
    handle: async () => ({ status: 200, headers: {}, body: null, stream: stream() }),
    failed: (error, { requestId }) => {
      failed.push(`${requestId} ${error}`);
      return { status: 500, headers: {}, body: '' };
    },
  });
  const response = await fetch(url);
  await expect(response.text()).rejects.toThrow();
  expect(failed).toEqual([`${response.headers.get('x-request-id')} Error: the store went away`]);
});

test('a client that reads nothing of a stream is cut, and one that reads slowly is not', async () => {
  const piece = 'x'.repeat(1_000_000);
  for (const reads of [false, true]) {
    const ended = Promise.withResolvers<number>();
    const server = createServer((_request, response) => {
      let sent = 0;
      async function* stream() {
        try {
          while (sent < 24) {
            sent += 1;
            yield piece;
          }
        } finally {
          ended.resolve(sent);
        }
      }
      void respondOnNode(
        response,
        { status: 200, headers: {}, body: null, stream: stream() },
        'r',
        true,
        400,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.on('data', () => {
      socket.pause();
      if (reads) setTimeout(() => socket.resume(), 2);
    });
    expect((await ended.promise) === 24).toBe(reads);
    socket.destroy();
    server.close();
  }
});
