/** Checks that come in one plain piece take a short way; nobody can tell from the answers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALLOWED, ask, PAUSED } from './ask.ts';
import { rawSocket } from './raw-socket.ts';
import { startTestService, type TestService } from './start-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  // A key is looked up once, the ordinary way.
  await ask(`${service.url}/v1/check-write`, { key: service.liveKey, json: ALLOWED });
});
afterAll(() => service.stop());

const requestOf = (intent: unknown, ...extra: string[]): string => {
  const body = typeof intent === 'string' ? intent : JSON.stringify(intent);
  return [
    'POST /v1/check-write HTTP/1.1',
    `Host: ${new URL(service.url).host}`,
    `Authorization: Bearer ${service.liveKey}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Request-ID: r-1',
    'traceparent: 00-0123456789abcdef0123456789abcdef-0123456789abcdef-01',
    ...extra,
    '',
    body,
  ].join('\r\n');
};

const answersIn = (text: string) =>
  text
    .split(/(?=HTTP\/1\.1 \d)/)
    .filter((part) => part !== '')
    .map((part) => {
      const [head = '', ...rest] = part.split('\r\n\r\n');
      const [status, ...lines] = head.split('\r\n');
      const headers = Object.fromEntries(
        lines.map((line) => [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 2),
        ]),
      );
      return { status, headers, body: rest.join('\r\n\r\n') };
    });

async function converse(pieces: readonly string[], waitMs = 400) {
  const connection = await rawSocket(service.url);
  for (const piece of pieces) {
    connection.send(piece);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  const { text } = await connection.received(waitMs);
  connection.socket.destroy();
  return answersIn(text);
}

/** Ids and times differ from check to check. */
const alike = (answer: ReturnType<typeof answersIn>[number]) => ({
  ...answer,
  headers: { ...answer.headers, date: '', 'content-length': '' },
  body: answer.body.replaceAll(/(dec|aud)_[0-9a-f]{32}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, ''),
});

test.each([
  ['an allow', ALLOWED, []],
  ['a pause', PAUSED, []],
  ['text beyond ASCII', { ...ALLOWED, agentValue: 'zoë 漢字 😀' }, []],
  ['a body that is no JSON', '{"a":', []],
  ['a body that is refused', { ...ALLOWED, required_controls: [] }, []],
  [
    'a key that must not be repeated',
    { ...ALLOWED, [`x ${'wck_live_'}${'A'.repeat(38)}`]: 1, system: 5 },
    [],
  ],
  ['a header that is wrong', ALLOWED, ['Idempotency-Key: a b']],
])('%s is answered the same in one piece and in two', async (_name, intent, extra) => {
  const request = requestOf(intent, ...extra);
  const [whole] = await converse([request]);
  const [halved] = await converse([request.slice(0, -3), request.slice(-3)]);
  expect(alike(whole!)).toEqual(alike(halved!));
  expect(whole!.headers['content-length']).toBe(String(Buffer.byteLength(whole!.body)));
  expect(Math.abs(Date.parse(whole!.headers.date!) - Date.now())).toBeLessThan(3_000);
});

test('a receipt and an idempotent answer come the short way too', async () => {
  const request = requestOf(ALLOWED, 'Prefer: receipt', 'Idempotency-Key: lane-1');
  const [first, again] = await converse([request, request]);
  expect(JSON.parse(first!.body).receipt.version).toBe('writecheck.receipt.v1');
  expect(again!.headers['idempotency-replayed']).toBe('true');
  expect(again!.body).toBe(first!.body);
});

test('one connection answers many checks, also after it went the ordinary way', async () => {
  const health = `GET /healthz HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\n\r\n`;
  const answers = await converse([requestOf(ALLOWED), requestOf(PAUSED), health, requestOf(ALLOWED)]);
  expect(answers.map(({ status }) => status)).toEqual(Array(4).fill('HTTP/1.1 200 OK'));
  expect(JSON.parse(answers[1]!.body).decision).toBe('pause');
  expect(JSON.parse(answers[3]!.body).decision).toBe('allow');
});

test('requests sent before the answer are answered in order', async () => {
  const many = [ALLOWED, PAUSED, ALLOWED, PAUSED].map((intent) => requestOf(intent)).join('');
  const together = await converse([many]);
  expect(together.map(({ body }) => JSON.parse(body).decision)).toEqual(['allow', 'pause', 'allow', 'pause']);
  const connection = await rawSocket(service.url);
  connection.socket.setNoDelay(true);
  for (let i = 0; i < 20; i += 1) {
    connection.send(requestOf(i % 2 === 0 ? ALLOWED : PAUSED));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { text } = await connection.received(1_500);
  connection.socket.destroy();
  const decisions = answersIn(text).map(({ body }) => JSON.parse(body).decision);
  expect(decisions).toEqual(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'allow' : 'pause')));
});

test('a caller that has said all it will say still gets its answer', async () => {
  const connection = await rawSocket(service.url);
  connection.socket.end(requestOf(ALLOWED));
  const { text, isClosed } = await connection.received(2_000);
  expect(answersIn(text)[0]!.status).toBe('HTTP/1.1 200 OK');
  expect(answersIn(text)[0]!.headers.connection).toBe('close');
  expect(isClosed).toBe(true);
});

test('a caller that goes away in the middle of its check harms nobody', async () => {
  for (let i = 0; i < 20; i += 1) {
    const connection = await rawSocket(service.url);
    connection.send(requestOf(ALLOWED));
    if (i % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    connection.socket.resetAndDestroy();
  }
  const [answer] = await converse([requestOf(ALLOWED)]);
  expect(answer!.status).toBe('HTTP/1.1 200 OK');
});

test('a revoked key is refused within a second on a connection it was admitted on', async () => {
  const made = await ask(`${service.url}/v1/keys`, {
    key: service.ownerKey,
    json: { kind: 'live', name: 'soon gone' },
  });
  const request = requestOf(ALLOWED).replace(service.liveKey, made.body.secret);
  const connection = await rawSocket(service.url);
  connection.send(request);
  await new Promise((resolve) => setTimeout(resolve, 100));
  connection.send(request);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await ask(`${service.url}/v1/keys/${made.body.key.id}`, { key: service.ownerKey, method: 'DELETE' });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  connection.send(request);
  const { text } = await connection.received(300);
  connection.socket.destroy();
  expect(answersIn(text).map(({ status }) => status!.slice(9, 12))).toEqual(['200', '200', '401']);
});
