/** Responses that are delivered wrongly: not at all, too slowly, with another status, or too large. */
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { answerText, answerWith, httpAnswer } from './answers.ts';
import { allowFor } from './hostile-server.ts';
import { drip, pause, type Scenario, stopped } from './scenario.ts';

const MIB = 1024 * 1024;

export const silence: readonly Scenario[] = [
  { name: 'a refused connection', expect: 'stopped' },
  stopped('a connection closed without an answer', ({ socket }) => void socket.end()),
  stopped('a connection reset without an answer', ({ socket }) => void socket.resetAndDestroy()),
  stopped('no answer at all', () => {}),
  stopped(
    'headers, then silence',
    (attack) => void attack.socket.write(httpAnswer(JSON.stringify(attack.allow)).subarray(0, 120)),
  ),
  stopped(
    'all but the last byte, then silence',
    (attack) => void attack.socket.write(httpAnswer(JSON.stringify(attack.allow)).subarray(0, -1)),
  ),
  stopped('a valid allow after the deadline', async (attack) => {
    await pause(attack.timeoutMs * 1.3);
    answerWith({})(attack);
  }),
  stopped('a body fed a byte at a time beyond the deadline', (attack) => {
    const bytes = httpAnswer(JSON.stringify(attack.allow));
    return drip(attack, bytes, 1, (attack.timeoutMs * 1.5) / bytes.length);
  }),
  stopped('interim answers without end', async ({ socket, timeoutMs }) => {
    const endMs = Date.now() + timeoutMs * 1.5;
    while (!socket.destroyed && Date.now() < endMs) {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n');
      await pause(10);
    }
  }),
];

export const otherStatuses: readonly Scenario[] = [
  ...[201, 202, 203, 206, 400, 401, 402, 403, 404, 409, 418, 422, 429, 500, 501, 502, 503, 504].map(
    (status) => stopped(`status ${status} with an allow in the body`, answerWith({}, { status })),
  ),
  stopped(
    'status 204',
    ({ socket }) => void socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'),
  ),
  ...[300, 301, 302, 303, 304, 307, 308].map((status) =>
    stopped(`a redirect with status ${status} to an allow`, (attack) => {
      if (attack.requestLine.endsWith('/elsewhere')) return answerWith({})(attack);
      answerWith({}, { status, headers: { Location: '/elsewhere' } })(attack);
    }),
  ),
];

export const tooMuch: readonly Scenario[] = [
  ...(
    [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', quickBrotli],
    ] as const
  ).map(([encoding, compress]) =>
    stopped(
      `a ${encoding} bomb around an allow`,
      answerText((json) => compress(Buffer.from(json.replace('{', `{${' '.repeat(64 * MIB)}`))), {
        headers: { 'Content-Encoding': encoding },
      }),
    ),
  ),
  stopped(
    'gzip that is cut off',
    answerText((json) => gzipSync(json).subarray(0, -12), { headers: { 'Content-Encoding': 'gzip' } }),
  ),
  stopped(
    'gzip that is none',
    answerText((json) => json, { headers: { 'Content-Encoding': 'gzip' } }),
  ),
  stopped(
    'an allow after 32 MiB of spaces',
    answerText((json) => ' '.repeat(32 * MIB) + json),
  ),
  stopped('a body without end', async ({ socket, timeoutMs }) => {
    const spaces = Buffer.alloc(65_536, ' ');
    const endMs = Date.now() + timeoutMs * 1.5;
    socket.write(httpAnswer('', { headers: { 'Content-Length': undefined } }));
    while (!socket.destroyed && Date.now() < endMs) {
      if (!socket.write(spaces)) await pause(5);
    }
  }),
  stopped('headers of 1 MiB', answerWith({}, { headers: { 'X-Filler': 'x'.repeat(MIB) } })),
];

/** A connection reset at every byte of a response that would have been a valid allow. */
export const resets: readonly Scenario[] = Array.from({ length: sampleLength() }, (_, at) =>
  stopped(`a connection reset after ${at} bytes`, async (attack) => {
    const bytes = httpAnswer(JSON.stringify(attack.allow));
    // The request's own id may be shorter than the one in the sample: never send the whole response.
    attack.socket.write(bytes.subarray(0, Math.min(at, bytes.length - 1)));
    // The bytes must arrive before the reset; otherwise every position would be the first.
    await pause(2);
    attack.socket.resetAndDestroy();
  }),
);

function quickBrotli(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
}

/** The same for every intent: of the members that vary, only `request_id` and the claim have no fixed length. */
function sampleLength(): number {
  return httpAnswer(JSON.stringify(allowFor('{}', { redeem: '0'.repeat(32) }))).length;
}
