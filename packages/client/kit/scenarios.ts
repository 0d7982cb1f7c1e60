/** Every way of answering badly that a wrapper has to survive, each with what must become of the write. */
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { answerText, answerWith, httpAnswer } from './answers.ts';
import { type Attack, allowFor } from './hostile-server.ts';

export interface Scenario {
  readonly name: string;
  /** Whether the write must run exactly once, or not at all. */
  readonly expect: 'executed' | 'stopped';
  /** Left out, nothing listens: the connection is refused. */
  readonly misbehave?: (attack: Attack) => void | Promise<void>;
}

const MIB = 1024 * 1024;

const honest: readonly Scenario[] = [
  executed('a valid allow', answerWith({})),
  executed('a valid allow with ALLOW in upper case', answerWith({ decision: 'ALLOW' })),
  executed('a valid allow with members nobody knows', answerWith({ brandNew: { deep: [1, 2, 3] } })),
  executed(
    'a valid allow without the optional members',
    answerWith({ success: undefined, intentDigest: undefined, validUntil: undefined, timestamp: undefined }),
  ),
  executed(
    'a valid allow with a charset',
    answerWith({}, { headers: { 'Content-Type': 'application/json; charset=utf-8' } }),
  ),
  executed(
    'a valid allow in gzip',
    answerText((json) => gzipSync(json), { headers: { 'Content-Encoding': 'gzip' } }),
  ),
  executed('a valid allow in small pieces', (attack) =>
    drip(attack, httpAnswer(JSON.stringify(attack.allow)), 64, 1),
  ),
  executed('a valid allow by a clock a year behind', answerWith(clockOff(-365 * 86_400_000))),
  executed('a valid allow by a clock a year ahead', answerWith(clockOff(365 * 86_400_000))),
  executed(
    'a replayed allow that still holds',
    answerWith(() => lifetime(-60_000, 60_000), { headers: { 'Idempotency-Replayed': 'true' } }),
  ),
  stopped('a pause', answerWith({ decision: 'pause', allowed: false, reason_code: 'authority_unverified' })),
  stopped('a block', answerWith({ decision: 'block', allowed: false, reason_code: 'CONTROL_FAILED' })),
  stopped('a PAUSE in upper case', answerWith({ decision: 'PAUSE', allowed: false })),
];

const silence: readonly Scenario[] = [
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

const otherStatuses: readonly Scenario[] = [
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

const otherBodies: readonly Scenario[] = [
  stopped(
    'HTML with status 200',
    answerText(() => '<!doctype html><title>Sign in</title>', { headers: { 'Content-Type': 'text/html' } }),
  ),
  stopped(
    'HTML that says it is JSON',
    answerText(() => '<!doctype html><title>Sign in</title>'),
  ),
  ...[
    undefined,
    '',
    'text/plain',
    'text/html',
    'text/json',
    'application/problem+json',
    'application/octet-stream',
    'application/json, text/html',
    'application/jsonp',
    'application/json; charset=utf-16',
  ].map((type) =>
    stopped(
      `an allow with the content type ${type === undefined ? 'left out' : `"${type}"`}`,
      answerWith({}, { headers: { 'Content-Type': type } }),
    ),
  ),
  stopped(
    'an empty body',
    answerText(() => ''),
  ),
  stopped(
    'null',
    answerText(() => 'null'),
  ),
  stopped(
    'the word allow',
    answerText(() => '"allow"'),
  ),
  stopped(
    'an allow in an array',
    answerText((json) => `[${json}]`),
  ),
  stopped(
    'an allow one level down',
    answerText((json) => `{"data":${json}}`),
  ),
  stopped(
    'an allow as a prototype',
    answerText((json) => `{"__proto__":${json}}`),
  ),
  stopped(
    'an allow twice in a row',
    answerText((json) => json + json),
  ),
  stopped(
    'an allow with bytes after it',
    answerText((json) => `${json}x`),
  ),
  stopped(
    'an allow after a byte order mark',
    answerText((json) => `\ufeff${json}`),
  ),
  stopped(
    'an allow in UTF-16',
    answerText((json) => Buffer.from(json, 'utf16le')),
  ),
  stopped(
    'an allow that is not UTF-8',
    answerText((json) => Buffer.from(json.replace('every', '\xff\xfe'), 'latin1')),
  ),
  stopped(
    'an allow in half',
    answerText((json) => json.slice(0, json.length / 2)),
  ),
  stopped(
    'an allow without its last brace',
    answerText((json) => json.slice(0, -1)),
  ),
  stopped('an allow shorter than its Content-Length', (attack) => {
    const json = JSON.stringify(attack.allow);
    attack.socket.end(httpAnswer(json, { headers: { 'Content-Length': String(json.length + 10) } }));
  }),
  stopped('an allow in chunks that end in its middle', (attack) => {
    const json = JSON.stringify(attack.allow).slice(0, -1);
    const head = httpAnswer('', { headers: { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' } });
    attack.socket.end(Buffer.concat([head, Buffer.from(`${json.length.toString(16)}\r\n${json}\r\n`)]));
  }),
  stopped(
    'decision twice, block first',
    answerText((json) => json.replace('{', '{"decision":"block",')),
  ),
  stopped(
    'decision twice, block last',
    answerText((json) => json.replace(/}$/, ',"decision":"block"}')),
  ),
  stopped(
    'decision twice, once escaped',
    answerText((json) => json.replace('{', '{"\\u0064ecision":"block",')),
  ),
  stopped(
    'a member twice further down',
    answerText((json) => json.replace('{', '{"more":[{"a":1,"a":2}],')),
  ),
  stopped(
    'an error envelope',
    answerText(() =>
      JSON.stringify({
        success: false,
        allowed: false,
        failClosed: true,
        error: { code: 'internal_error', message: 'no' },
      }),
    ),
  ),
  stopped(
    'bytes that are not HTTP',
    ({ socket }) => void socket.end(Buffer.from('\x16\x03\x01\x02\x00allow allow allow')),
  ),
];

const otherMembers: readonly Scenario[] = [
  ...['decision', 'allowed', 'reason', 'reason_code', 'schemaVersion'].flatMap((member) => [
    stopped(`an allow without ${member}`, answerWith({ [member]: undefined })),
    stopped(`an allow whose ${member} is null`, answerWith({ [member]: null })),
    stopped(`an allow whose ${member} is 1`, answerWith({ [member]: 1 })),
    stopped(`an allow whose ${member} is an empty string`, answerWith({ [member]: '' })),
    stopped(
      `an allow whose ${member} is in an array`,
      answerWith(({ allow }) => ({ [member]: [allow[member]] })),
    ),
  ]),
  ...['write_intent.v2', 'WRITE_INTENT.V1', 'action_request.v1'].map((schemaVersion) =>
    stopped(`the schemaVersion ${schemaVersion}`, answerWith({ schemaVersion })),
  ),
  ...['approve', 'allowed', ' allow', 'allow\n', 'аllow', 'deny', 'true'].map((decision) =>
    stopped(`the decision ${JSON.stringify(decision)}`, answerWith({ decision })),
  ),
  stopped('an allow that is not allowed', answerWith({ allowed: false })),
  stopped('a pause that is allowed', answerWith({ decision: 'pause' })),
  stopped('a block that is allowed', answerWith({ decision: 'block' })),
  stopped('an allow that is allowed in words', answerWith({ allowed: 'true' })),
  stopped('an allow that is no success', answerWith({ success: false })),
  stopped('an allow with an error', answerWith({ error: { code: 'internal_error', message: 'no' } })),
  stopped(
    'the digest of another intent',
    answerWith({ intentDigest: allowFor('{"system":"another"}').intentDigest }),
  ),
  stopped(
    'the digest in upper case',
    answerWith(({ allow }) => ({ intentDigest: String(allow.intentDigest).toUpperCase() })),
  ),
  stopped('no digest but null', answerWith({ intentDigest: null })),
];

const outOfTime: readonly Scenario[] = [
  stopped(
    'a validUntil before the timestamp',
    answerWith(() => lifetime(0, -1)),
  ),
  stopped(
    'a validUntil equal to the timestamp',
    answerWith(() => lifetime(0, 0)),
  ),
  stopped(
    'a validUntil of an hour ago',
    answerWith(() => lifetime(0, -3_600_000)),
  ),
  stopped('a validUntil without a timestamp', answerWith({ timestamp: undefined })),
  stopped('a validUntil with a timestamp that is none', answerWith({ timestamp: 'now' })),
  ...[null, 0, '', 'tomorrow', '2099-02-30T00:00:00Z', '2099-01-01T00:00:00', '2099-01-01'].map(
    (validUntil) => stopped(`the validUntil ${JSON.stringify(validUntil)}`, answerWith({ validUntil })),
  ),
  stopped('an allow that ran out on its way', async (attack) => {
    const changes = lifetime(0, attack.timeoutMs * 0.2);
    await pause(attack.timeoutMs * 0.5);
    answerWith(changes)(attack);
  }),
  stopped(
    'a replayed allow that ran out',
    answerWith(() => lifetime(-60_000, -1), { headers: { 'Idempotency-Replayed': 'true' } }),
  ),
  stopped(
    'a replayed allow of a time nobody knows',
    answerWith(() => lifetime(-60_000, 60_000), {
      headers: { 'Idempotency-Replayed': 'true', Date: undefined },
    }),
  ),
];

const tooMuch: readonly Scenario[] = [
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

/** A connection reset at every byte of an answer that would have been a valid allow. */
export const RESETS: readonly Scenario[] = Array.from({ length: sampleLength() }, (_, at) =>
  stopped(`a connection reset after ${at} bytes`, async (attack) => {
    attack.socket.write(httpAnswer(JSON.stringify(attack.allow)).subarray(0, at));
    // The bytes must arrive before the reset does, or every position would be the first.
    await pause(2);
    attack.socket.resetAndDestroy();
  }),
);

export const SCENARIOS: readonly Scenario[] = [
  ...honest,
  ...silence,
  ...otherStatuses,
  ...otherBodies,
  ...otherMembers,
  ...outOfTime,
  ...tooMuch,
  ...RESETS,
];

function quickBrotli(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
}

function executed(name: string, misbehave: Scenario['misbehave'] & {}): Scenario {
  return { name, expect: 'executed', misbehave };
}

function stopped(name: string, misbehave: Scenario['misbehave'] & {}): Scenario {
  return { name, expect: 'stopped', misbehave };
}

function lifetime(madeInMs: number, endsInMs: number) {
  const now = Date.now();
  return {
    timestamp: new Date(now + madeInMs).toISOString(),
    validUntil: new Date(now + endsInMs).toISOString(),
  };
}

function clockOff(byMs: number) {
  return () => lifetime(byMs, byMs + 60_000);
}

async function drip({ socket }: Attack, bytes: Uint8Array, size: number, everyMs: number): Promise<void> {
  for (let at = 0; at < bytes.length && !socket.destroyed; at += size) {
    socket.write(bytes.subarray(at, at + size));
    await pause(everyMs);
  }
  socket.end();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The same for every intent, as all the members that vary are of one length. */
function sampleLength(): number {
  return httpAnswer(JSON.stringify(allowFor('{}'))).length;
}
