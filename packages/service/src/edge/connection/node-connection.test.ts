import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { fc } from '../../../../../scripts/fast-check.ts';
import { responsesIn } from '../../../test/edge/both-ways.ts';
import { rawSocket } from '../../../test/raw-socket.ts';
import type { HttpRequest } from '../../exchange/request.ts';
import { httpServer } from './node-server.ts';

let drainNow = async (_idleGraceMs = 0): Promise<void> => undefined;
afterEach(() => drainNow());

const MAX = 8;

/** Responds with what the request brought, after `wait`. */
async function serve(wait: (request: HttpRequest, at: number) => Promise<unknown>) {
  const seen = { now: 0, most: 0, begun: 0 };
  const { server, drain } = httpServer({
    clock: () => 0,
    handle: async (request) => {
      const at = seen.begun;
      seen.begun += 1;
      seen.now += 1;
      seen.most = Math.max(seen.most, seen.now);
      await wait(request, at);
      const isRead = request.method === 'POST' && request.path !== '/unread';
      const read = isRead ? await request.body(1_000_000) : { kind: 'body', bytes: '' };
      seen.now -= 1;
      if (read.kind !== 'body') return null;
      return { status: 200, headers: {}, body: `${request.path} ${Buffer.from(read.bytes)}` };
    },
    failed: () => ({ status: 500, headers: {}, body: '{}' }),
    finished: () => undefined,
  });
  drainNow = (idleGraceMs = 0) => drain({ idleGraceMs, deadlineMs: idleGraceMs });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** One read from the socket may hold a part of them or all. */
async function bodiesOf(url: string, pieces: readonly string[], count: number, hangsUp = false) {
  const connection = await rawSocket(url);
  connection.socket.setNoDelay(true);
  for (const piece of pieces) {
    connection.send(piece);
    if (pieces.length > 1) await sleep(0);
  }
  if (hangsUp) connection.socket.end();
  const text = hangsUp
    ? await connection.closed()
    : await connection.until((received) => responsesIn(received).length >= count);
  connection.socket.destroy();
  return responsesIn(text).map((response) => response.slice(response.indexOf('\r\n\r\n') + 4));
}

const FORMS = ['none', 'length', 'chunks', 'continue', 'plain', 'unread'] as const;
/** Looks like another request, to a reader that does not know where this one ends. */
const BODIES = [
  'x',
  'a\nb\r\n\r\nc',
  'GET /no HTTP/1.1\r\nHost: x\r\n\r\n',
  '\r\n\r\n'.repeat(20),
  'y'.repeat(3_000),
];

function requestOf(form: (typeof FORMS)[number], body: string, i: number): { sent: string; body: string } {
  if (form === 'none') return { sent: `GET /${i} HTTP/1.1\r\nHost: x\r\n\r\n`, body: `/${i} ` };
  const path = form === 'plain' ? '/v1/check-write' : form === 'unread' ? '/unread' : `/${i}`;
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n`;
  const expect = form === 'continue' ? 'Expect: 100-continue\r\n' : '';
  const sent =
    form === 'chunks'
      ? `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      : `${head}${expect}Content-Length: ${body.length}\r\n\r\n${body}`;
  return { sent, body: `${path} ${form === 'unread' ? '' : body}` };
}

const requests = fc.array(fc.tuple(fc.constantFrom(...FORMS), fc.constantFrom(...BODIES)), {
  minLength: 1,
  maxLength: 40,
});

test('any requests, sent in any pieces, get their responses in order, and no more than 8 are in progress', async () => {
  const { seen, url } = await serve((_request, at) => sleep(at % 3));
  const cuts = fc.array(fc.nat(), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(requests, cuts, fc.boolean(), async (forms, places, hangsUp) => {
      const all = forms.map(([form, body], i) => requestOf(form, body, i));
      const text = all.map(({ sent }) => sent).join('');
      const ends = [...places.map((place) => place % text.length), text.length].sort((a, b) => a - b);
      const pieces = ends
        .map((end, i) => text.slice(i === 0 ? 0 : ends[i - 1], end))
        .filter((piece) => piece !== '');
      const bodies = await bodiesOf(
        url,
        pieces,
        all.length + forms.filter(([form]) => form === 'continue').length,
        hangsUp,
      );
      expect(bodies.filter((body) => body !== '')).toEqual(all.map(({ body }) => body));
    }),
    { numRuns: 60 },
  );
  expect(seen.most).toBe(MAX);
});

test('2,000 requests in one write begin 8 at a time, and all get their responses', async () => {
  const waiting: (() => void)[] = [];
  const { seen, url } = await serve(() => new Promise<void>((resolve) => waiting.push(resolve)));
  const all = Array.from({ length: 2_000 }, (_, i) => requestOf('none', '', i));
  const bodies = bodiesOf(url, [all.map(({ sent }) => sent).join('')], all.length);
  await expect.poll(() => waiting.length).toBe(MAX);
  await sleep(50);
  expect(seen.begun).toBe(MAX);
  const going = setInterval(() => waiting.splice(0).forEach((resolve) => void resolve()), 1);
  expect(await bodies).toEqual(all.map(({ body }) => body));
  clearInterval(going);
});

test.each([['length'], ['chunks']] as const)(
  'the last request that may begin still receives its body: %s',
  async (form) => {
    const arrived = Promise.withResolvers<void>();
    const { seen, url } = await serve((_request, at) => (at < MAX - 1 ? arrived.promise : sleep(0)));
    const first = Array.from({ length: MAX - 1 }, (_, i) => requestOf('none', '', i));
    const last = requestOf(form, 'z'.repeat(200_000), MAX - 1);
    const more = Array.from({ length: 30 }, (_, i) => requestOf('length', 'more', MAX + i));
    const connection = await rawSocket(url);
    const half = last.sent.length - 100_000;
    connection.send(first.map(({ sent }) => sent).join('') + last.sent.slice(0, half));
    await expect.poll(() => seen.begun).toBe(MAX);
    connection.send(last.sent.slice(half) + more.map(({ sent }) => sent).join(''));
    await expect.poll(() => seen.now).toBe(MAX - 1);
    await sleep(20);
    // Responses go out in order, so even the one that is ready waits for the first.
    expect(seen.begun).toBe(MAX);
    arrived.resolve();
    const count = first.length + 1 + more.length;
    const text = await connection.until((received) => responsesIn(received).length === count);
    connection.socket.destroy();
    expect(responsesIn(text)).toHaveLength(count);
  },
);

test('a request for an upgrade, which nobody gets, is answered after those before it', async () => {
  const { url } = await serve(() => sleep(1));
  const upgrade = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n';
  const bodies = await bodiesOf(url, [requestOf('none', '', 1).sent.repeat(20) + upgrade], 21);
  expect(bodies.slice(-2)).toEqual(['/1 ', '/last ']);
});

test('a connection that sends thousands of requests lets another in between', async () => {
  const { seen, url } = await serve(async () => undefined);
  const [many, one] = [await rawSocket(url), await rawSocket(url)];
  many.send(requestOf('none', '', 1).sent.repeat(1_500));
  one.send(requestOf('none', '', 2).sent);
  await one.until((text) => responsesIn(text).length === 1);
  expect(seen.begun).toBeLessThan(1_000);
  many.socket.destroy();
  one.socket.destroy();
});

test('a body of empty lines in chunks lets another connection in between', async () => {
  const { seen, url } = await serve(async () => undefined);
  const [lines, one] = [await rawSocket(url), await rawSocket(url)];
  lines.send(requestOf('chunks', '\r\n'.repeat(100_000), 1).sent.repeat(4));
  one.send(requestOf('none', '', 2).sent);
  await one.until((text) => responsesIn(text).length === 1);
  expect(seen.begun).toBeLessThan(4);
  const text = await lines.until((received) => responsesIn(received).length === 4);
  expect(responsesIn(text)).toHaveLength(4);
  lines.socket.destroy();
  one.socket.destroy();
});

test('garbage after many requests is refused once, after their responses', async () => {
  const { url } = await serve(() => sleep(1));
  const connection = await rawSocket(url);
  connection.send(`${requestOf('none', '', 1).sent.repeat(20)}gar\nba\nge\n\r\n\r\n`);
  const text = await connection.closed();
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
    ...Array(20).fill('200'),
    '400',
  ]);
});

test('a head whose lines end without a carriage return is no request: the limit counts on it', async () => {
  const { seen, url } = await serve(() => sleep(0));
  const connection = await rawSocket(url);
  connection.send('GET / HTTP/1.1\nHost: x\n\n'.repeat(20));
  expect(await connection.closed()).toMatch(/^HTTP\/1\.1 400 /);
  expect(seen.begun).toBe(0);
});

test('a connection that is not read further does not hold up the end of the service', async () => {
  const never = Promise.withResolvers<void>();
  const { seen, url } = await serve(() => never.promise);
  const connection = await rawSocket(url);
  connection.send(requestOf('none', '', 1).sent.repeat(100));
  await expect.poll(() => seen.begun).toBe(MAX);
  await drainNow(50);
  await connection.closed();
  never.resolve();
});
