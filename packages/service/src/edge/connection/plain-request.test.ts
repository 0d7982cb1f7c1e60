import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { credentialOf } from '../../features/keys/authenticate.ts';
import { HeadReader } from './plain-request.ts';

function readPlainHead(text: string) {
  return new HeadReader().read(text);
}

function plain(...extra: string[]): string {
  return [
    'POST /v1/check-write HTTP/1.1',
    'Host: 127.0.0.1:8080',
    'Authorization: Bearer wck_live_x',
    'Content-Type: application/json',
    'Content-Length: 2',
    ...extra,
  ].join('\r\n');
}

test('a plain check is read', () => {
  const head = readPlainHead(plain('X-Request-ID: r1', 'Prefer: receipt', 'idempotency-key:  k ', 'X:'));
  expect(head).toMatchObject({ path: '/v1/check-write', bodyBytes: 2 });
  expect(credentialOf(head!.header('authorization'))).toMatchObject({ kind: 'refused', code: 'invalid_key' });
  const names = ['host', 'authorization', 'x-request-id', 'traceparent', 'idempotency-key', 'prefer', 'x'];
  expect(names.map((name) => head!.header(name))).toEqual([
    '127.0.0.1:8080',
    'Bearer wck_live_x',
    'r1',
    undefined,
    'k',
    'receipt',
    '',
  ]);
  expect(readPlainHead(plain().replace('/v1', '/api/v1'))?.path).toBe('/api/v1/check-write');
  const outcome = `/v1/decisions/dec_${'0a'.repeat(16)}/outcome`;
  expect(readPlainHead(plain().replace('/v1/check-write', outcome))?.path).toBe(outcome);
  for (const other of [outcome.toUpperCase(), `${outcome}s`, outcome.replace('0a', '0'), `${outcome}?a=b`])
    expect(readPlainHead(plain().replace('/v1/check-write', other))).toBeNull();
});

test.each([
  ['no key', plain().replace('Authorization', 'X-Authorization')],
  ['another type', plain().replace('application/json', 'text/json')],
  ['no type', plain().replace('Content-Type', 'X-Type')],
  ['a body too large', plain().replace('Length: 2', 'Length: 65537')],
])('%s is read, and the gates refuse it', (_name, text) => {
  expect(readPlainHead(text)).not.toBeNull();
});

test.each([
  ['another method', plain().replace('POST', 'PUT')],
  ['another path', plain().replace('check-write', 'check-write/other')],
  ['a query', plain().replace('check-write', 'check-write?x')],
  ['another version', plain().replace('1.1', '1.0')],
  ['a transfer encoding', plain('Transfer-Encoding: chunked')],
  ['a content encoding', plain('Content-Encoding: gzip')],
  ['an expectation', plain('Expect: 100-continue')],
  ['an upgrade', plain('Upgrade: h2c')],
  ['a connection to be closed', plain('Connection: close')],
  ['a second length', plain('content-length: 2')],
  ['a second key', plain('Authorization: Bearer other')],
  ['a second type', plain('content-type: text/plain')],
  ['any header twice', plain('X-Forwarded-For: 10.0.0.1', 'x-forwarded-for: 10.0.0.2')],
  ['no host', plain().replace('Host', 'X-Host')],
  ['a length with a sign', plain().replace('Length: 2', 'Length: +2')],
  ['a length in another base', plain().replace('Length: 2', 'Length: 0x2')],
  ['a length with a zero before it', plain().replace('Length: 2', 'Length: 02')],
  ['two lengths in one', plain().replace('Length: 2', 'Length: 2, 2')],
  ['no body', plain().replace('Length: 2', 'Length: 0')],
  ['no length', plain().replace('Length', 'Size')],
  ['a folded line', plain('X: a', ' b')],
  ['a space before the colon', plain('X : a')],
  ['a name with a space', plain('X Y: a')],
  ['no name', plain(': a')],
  ['no colon', plain('X')],
  ['a bare line feed', plain('X: a\nContent-Length: 7')],
  ['a bare carriage return', plain('X: a\rContent-Length: 7')],
  ['a null byte', plain('X: \u0000')],
  ['a character beyond ASCII', plain('X: ü')],
  ['a tab', plain('X:\ta')],
])('%s is not plain', (_name, text) => {
  expect(readPlainHead(text)).toBeNull();
});

test('a head that differs from the previous head in some values gets its own values', () => {
  const heads = new HeadReader();
  const first = heads.read(plain('Idempotency-Key: a', 'Redeem: r', 'Connection: keep-alive'));
  const second = heads.read(
    plain('Idempotency-Key: b ', 'Redeem: r', 'Connection: Keep-Alive').replace('Length: 2', 'Length: 31'),
  );
  expect(first).toMatchObject({ bodyBytes: 2 });
  expect(second).toMatchObject({ bodyBytes: 31 });
  expect([first, second].map((head) => head!.header('idempotency-key'))).toEqual(['a', 'b']);
  const read = (text: string) => {
    heads.read(plain('Idempotency-Key: a', 'Redeem: r', 'Connection: keep-alive'));
    return heads.read(text);
  };
  const others: [string, string][] = [
    ['Idempotency-Key: a', 'Redeem: q'],
    ['Idempotency-Key: \u0000', 'Redeem: r'],
    ['Idempotency-Key: a\nRedeem: q', 'Redeem: r'],
    ['Expect: a', 'Redeem: r'],
    ['Redeem: a', 'Redeem: r'],
    ['Idempotency-Key : a', 'Redeem: r'],
  ];
  for (const [key, claim] of others)
    for (const connection of ['keep-alive', 'close']) {
      const text = plain(key, claim, `Connection: ${connection}`);
      expect(read(text), text).toEqual(readPlainHead(text));
    }
  expect(read(plain('Idempotency-Key: a', 'Redeem: r').replace('check-write', 'keys'))).toBeNull();
});

const BODY = '{}';
let read: (text: string) => Promise<{ readonly request: IncomingMessage; readonly body: string } | null>;
let stop: () => void;

beforeAll(async () => {
  let seen: { request: IncomingMessage; body: string } | null = null;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen ??= { request, body };
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  read = (text) =>
    new Promise((resolve) => {
      seen = null;
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.on('connect', () => socket.write(`${text}\r\n\r\n${BODY}`, 'latin1'));
      socket.on('data', () => socket.destroy());
      socket.on('error', () => {});
      socket.on('close', () => resolve(seen));
    });
  stop = () => {
    server.closeAllConnections();
    server.close();
  };
});
afterAll(() => stop());

const PIECES = [
  'X-Forwarded-For: 10.0.0.1',
  'Via: a',
  ...['\r\n', '\n', '\r', ' ', '\t', ':', ',', ';', '\u0000', 'ü', 'a', '-', '0', '2', 'x: y'],
  ...['Content-Length: 2', 'Transfer-Encoding: chunked', 'Connection: keep-alive', 'Connection: close'],
  ...['Host: a', 'X-Request-ID: r', 'traceparent: t', 'Idempotency-Key: k', 'Prefer: receipt', 'Expect: x'],
];

const ASKED_FOR = ['authorization', 'content-type', 'content-encoding', 'transfer-encoding', 'prefer', 'x'];

test('what is read as plain, Node reads the same way', async () => {
  let state = 20_261_115;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const compared: number[] = [];
  const other = new HeadReader();
  for (let i = 0; i < 4_000; i += 1) {
    let text = plain('X-Request-ID: r1', 'User-Agent: test');
    for (let edits = 1 + random(2); edits > 0; edits -= 1) {
      const at = random(2) === 0 ? random(text.length) : text.indexOf('\r\n', random(text.length));
      const piece = PIECES[random(PIECES.length)]!;
      const added = random(2) === 0 ? piece : `\r\n${piece}`;
      text = text.slice(0, Math.max(0, at)) + added + text.slice(Math.max(0, at) + random(3));
    }
    const head = readPlainHead(text);
    // Earlier requests on its connection change nothing.
    expect(other.read(text), text).toEqual(head);
    const next = new HeadReader();
    next.read(plain('X-Request-ID: r2', 'User-Agent: test'));
    expect(next.read(text), text).toEqual(head);
    if (head === null || head.bodyBytes !== BODY.length) continue;
    compared.push(i);
    const node = await read(text);
    expect(node, JSON.stringify(text)).not.toBeNull();
    const { url, method, headers } = node!.request;
    const expected = { text, url: head.path, method: 'POST', body: BODY };
    expect({ text, url, method, body: node!.body }).toEqual(expected);
    const names = new Set([...Object.keys(headers), ...ASKED_FOR]);
    for (const name of names) expect([text, name, head.header(name)]).toEqual([text, name, headers[name]]);
  }
  expect(compared.length).toBeGreaterThan(300);
});
