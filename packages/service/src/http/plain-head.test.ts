import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPlainHead } from './plain-head.ts';

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
  expect(readPlainHead(plain('X-Request-ID: r1', 'Prefer: receipt', 'idempotency-key:  k '))).toEqual({
    path: '/v1/check-write',
    host: '127.0.0.1:8080',
    authorization: 'Bearer wck_live_x',
    bodyBytes: 2,
    requestId: 'r1',
    traceparent: undefined,
    idempotencyKey: 'k',
    prefer: 'receipt',
  });
  expect(readPlainHead(plain().replace('/v1', '/api/v1'))?.path).toBe('/api/v1/check-write');
});

test.each([
  ['another method', plain().replace('POST', 'PUT')],
  ['another path', plain().replace('check-write', 'check-write/batch')],
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
  ['another type', plain().replace('application/json', 'text/json')],
  ['a type that only begins so', plain().replace('application/json', 'application/jsonx')],
  ['no key', plain().replace('Authorization', 'X-Authorization')],
  ['no host', plain().replace('Host', 'X-Host')],
  ['a length with a sign', plain().replace('Length: 2', 'Length: +2')],
  ['a length in another base', plain().replace('Length: 2', 'Length: 0x2')],
  ['a length with a zero before it', plain().replace('Length: 2', 'Length: 02')],
  ['two lengths in one', plain().replace('Length: 2', 'Length: 2, 2')],
  ['no body', plain().replace('Length: 2', 'Length: 0')],
  ['a body too large', plain().replace('Length: 2', 'Length: 65537')],
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
  ...['\r\n', '\n', '\r', ' ', '\t', ':', ',', ';', '\u0000', 'ü', 'a', '-', '0', '2', 'x: y'],
  ...['Content-Length: 2', 'Transfer-Encoding: chunked', 'Connection: keep-alive', 'Connection: close'],
  ...['Host: a', 'X-Request-ID: r', 'traceparent: t', 'Idempotency-Key: k', 'Prefer: receipt', 'Expect: x'],
];

test('what is read as plain, Node reads the same way', async () => {
  let state = 20_261_115;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const compared: number[] = [];
  for (let i = 0; i < 4_000; i += 1) {
    let text = plain('X-Request-ID: r1', 'User-Agent: test');
    for (let edits = 1 + random(2); edits > 0; edits -= 1) {
      const at = random(2) === 0 ? random(text.length) : text.indexOf('\r\n', random(text.length));
      const piece = PIECES[random(PIECES.length)]!;
      const added = random(2) === 0 ? piece : `\r\n${piece}`;
      text = text.slice(0, Math.max(0, at)) + added + text.slice(Math.max(0, at) + random(3));
    }
    const head = readPlainHead(text);
    if (head === null || head.bodyBytes !== BODY.length) continue;
    compared.push(i);
    const node = await read(text);
    expect(node, JSON.stringify(text)).not.toBeNull();
    const { url, method, headers } = node!.request;
    expect({ text, url, method, body: node!.body }).toEqual({
      ...{ text, url: head.path, method: 'POST', body: BODY },
    });
    expect({ text, headers }).toMatchObject({
      text,
      headers: { host: head.host, authorization: head.authorization, 'content-length': '2' },
    });
    expect(headers['x-request-id']).toBe(head.requestId);
    expect(headers['idempotency-key']).toBe(head.idempotencyKey);
    expect(headers.prefer).toBe(head.prefer);
    expect(headers.traceparent).toBe(head.traceparent);
    expect(headers['transfer-encoding']).toBeUndefined();
  }
  expect(compared.length).toBeGreaterThan(300);
});
