import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimsOf, control, INTENT, startTestReader, type TestReader } from './reader-kit.ts';

let server: Server;
let reader: TestReader;
const asked: { url: string; headers: Record<string, unknown> }[] = [];
const waiting: (() => void)[] = [];

const HOSTILE = [
  'lying',
  'redirect',
  'huge',
  'bomb',
  'failing',
  'partial',
  'page',
  'twice',
  'deep',
  'large',
  'cut',
];
const SLOW = ['slow', 'drip'];
const BOMB = gzipSync(Buffer.alloc(50_000_000, ' '));

/** Sends a byte at intervals, forever. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
}

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push({ url: request.url!, headers: request.headers });
    const [, kind, ref = ''] = request.url!.split('/');
    const id = decodeURIComponent(ref.split('?')[0]!);
    const json = (value: unknown, status = 200, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(value));
    if (kind === 'ok') json({ data: { id, total: 10 } });
    else if (kind === 'lying') json({ data: { id: 'I-2', total: 1 } });
    else if (kind === 'redirect') json({}, 302, { location: `/ok/${ref}` });
    else if (kind === 'huge') json({ data: { id, note: 'x'.repeat(2 << 20) } });
    else if (kind === 'failing') json({ data: { id } }, 500);
    else if (kind === 'twice') response.end('{"data":{"id":"I-2","id":"I-1"}}');
    else if (kind === 'deep') json({ data: { id, a: JSON.parse('['.repeat(16) + ']'.repeat(16)) } });
    else if (kind === 'large') response.end(`{"data":{"id":"${id}","total":1e20}}`);
    else if (kind === 'cut')
      response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy());
    else if (kind === 'bomb')
      // A server may compress although the client did not ask for it.
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMB);
    else if (kind === 'partial') json({ data: { id } }, 206);
    else if (kind === 'page') response.end(`<!doctype html><p>${id}`);
    else if (kind === 'drip') drip(response);
    else if (kind === 'held') waiting.push(() => json({ data: { id } }));
    // `slow` never ends.
    else response.write('{"data":');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = (path: string, more: object = {}) =>
    control({ http: { url: `${base}/${path}`, pick: '/data', key: '/id', ...more } });
  const kinds = [...HOSTILE, ...SLOW, 'held'];
  reader = await startTestReader({
    ...Object.fromEntries(kinds.map((kind) => [kind, http(`${kind}/{objectRef}`)])),
    ok: http('ok/{objectRef}?from={system}', { headers: { authorization: 'env:AGENT_TOKEN' } }),
    inHost: http('%2{objectRef}/ok'),
    noServer: control({ http: { url: 'http://127.0.0.1:9/{objectRef}', key: '/id' } }),
  });
});
afterAll(async () => {
  await reader.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const read = (name: string, objectRef = 'I-1') =>
  reader.ask({ ...INTENT, objectRef }, { query: `?controls=${name}` });

describe('an HTTP source', () => {
  test('gets the encoded value, its headers and nothing else', async () => {
    const { items } = await read('ok', 'I 1&a=ü');
    expect(claimsOf(items[0]).facts).toEqual({ id: 'I 1&a=ü', total: 10 });
    const last = asked.at(-1)!;
    expect(last.url).toBe('/ok/I%201%26a%3D%C3%BC?from=erp');
    expect(last.headers.authorization).toMatch(/^a-token/);
  });

  test.each([...HOSTILE, 'noServer'])('that is %s returns no facts', async (name) => {
    const { status, code, text } = await read(name);
    expect([status, code]).toEqual([424, 'facts_unavailable']);
    expect(text).not.toMatch(/127\.0\.0\.1|http:/);
  });

  test('that is slow returns no facts, whether it stops or drips', async () => {
    const replies = await Promise.all(SLOW.map((name) => read(name)));
    expect(replies.map(({ code }) => code)).toEqual(replies.map(() => 'facts_unavailable'));
  });

  test('is requested once: no redirect is followed', async () => {
    const before = asked.length;
    await read('redirect');
    expect(asked.length).toBe(before + 1);
  });

  test.each(['', '.', '..', 'a/b', 'a\\b', 'a%2fb', 'a?b', 'a#b', 'a;b', 'a\nb', 'a\u0085b'])(
    'is not requested for %j, which could lead elsewhere',
    async (objectRef) => {
      const before = asked.length;
      const { status, code, text } = await read('ok', objectRef);
      expect([status, code, asked.length]).toEqual([422, 'invalid_intent', before]);
      expect(JSON.parse(text).error.details).toEqual([
        { pointer: '/objectRef', message: expect.any(String) },
      ]);
    },
  );

  test('is not requested if a value would change the depth of the URL', async () => {
    expect((await read('inHost', 'e')).status).toBe(422);
  });

  test('is read by 16 requests concurrently, and the next gets 503', async () => {
    const all = Array.from({ length: 16 }, () => read('held'));
    await expect.poll(() => waiting.length).toBe(16);
    const next = await read('held');
    expect([next.status, next.code, next.headers.get('retry-after')]).toEqual([503, 'overloaded', '1']);
    for (const respond of waiting.splice(0)) respond();
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
    const later = read('held');
    await expect.poll(() => waiting.length).toBe(1);
    for (const respond of waiting.splice(0)) respond();
    expect((await later).status).toBe(200);
  });
});
