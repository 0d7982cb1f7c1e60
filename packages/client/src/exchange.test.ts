import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { httpAnswer, startHostileServer } from '../../../conformance/client-kit/index.ts';
import type { NoDecisionCause } from './decision-types.ts';
import { exchange } from './exchange.ts';
import type { Fetch } from './platform.ts';

const request = {
  url: 'http://x/v1/check-write',
  headers: { a: 'b' },
  body: '{}',
  expects: 'a decision',
  maxAnswerBytes: 100,
};
const json = { 'content-type': 'application/json' };
const never = new AbortController().signal;

async function sendTo(answer: Response | (() => Promise<Response>)) {
  const refusals: NoDecisionCause[] = [];
  const fetch: Fetch = typeof answer === 'function' ? answer : async () => answer;
  return { outcome: await exchange(fetch, request, never, (cause) => refusals.push(cause)), refusals };
}
async function causeOf(answer: Response | (() => Promise<Response>)) {
  const { outcome } = await sendTo(answer);
  return outcome.kind === 'failure' ? { ...outcome.cause, retryAfterMs: outcome.retryAfterMs } : outcome;
}

describe('an attempt', () => {
  it('posts the body and follows no redirect', async () => {
    const fetch = vi.fn<Fetch>(async () => new Response('{}', { headers: json }));
    await exchange(fetch, request, never, () => {});
    expect(fetch.mock.calls).toEqual([
      [request.url, { method: 'POST', headers: { a: 'b' }, body: '{}', redirect: 'manual', signal: never }],
    ]);
  });

  it('returns the text, whether it is a replay, and its date', async () => {
    const date = 'Sun, 01 Mar 2026 10:00:00 GMT';
    const plain = await sendTo(new Response('{"é":1}', { headers: json }));
    expect(plain).toEqual({
      outcome: { kind: 'answer', text: '{"é":1}', status: 200, replayed: false, dateMs: Number.NaN },
      refusals: [],
    });
    const replay = await sendTo(
      new Response('{}', { headers: { ...json, date, 'idempotency-replayed': 'true' } }),
    );
    expect(replay.outcome).toMatchObject({ replayed: true, dateMs: Date.parse(date) });
  });

  it.each([
    '0',
    '2026',
    'now',
    '2026-03-01T10:00:00Z',
    'Sun, 01 Mar 2026 10:00:00',
    'Sun, 31 Feb 2026 10:00:00 GMT',
  ])('does not treat %j as a date', async (date) => {
    const { outcome } = await sendTo(new Response('{}', { headers: { ...json, date } }));
    expect(outcome).toMatchObject({ dateMs: Number.NaN });
  });

  it.each(['false', 'TRUE', '1', ''])('does not treat %j as a replay', async (replayed) => {
    const { outcome } = await sendTo(
      new Response('{}', { headers: { ...json, 'idempotency-replayed': replayed } }),
    );
    expect(outcome).toMatchObject({ replayed: false });
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8" ',
    'application/json ; charset = utf-8',
  ])('accepts the content type %s', async (type) => {
    expect(await causeOf(new Response('{}', { headers: { 'content-type': type } }))).toMatchObject({
      kind: 'answer',
    });
  });

  it.each([
    'text/html',
    'xapplication/json',
    'application/jsonx',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; x',
    'application/json; charsetx=utf-8',
    'application/json; charset=xutf-8',
    'application/json; charset=utf-8x',
    '',
  ])('does not accept the content type %j', async (type) => {
    expect(await causeOf(new Response('{}', { headers: { 'content-type': type } }))).toEqual({
      kind: 'invalid_answer',
      message: 'the response is not a decision: its content type is not `application/json`',
      status: 200,
      retryAfterMs: 'never',
    });
  });

  it.each([201, 202, 206, 299])('does not accept status %i', async (status) => {
    expect(await causeOf(new Response('{}', { status, headers: json }))).toEqual({
      kind: 'invalid_answer',
      message: `the response is not a decision: its status is ${status}`,
      status,
      retryAfterMs: 'never',
    });
  });

  it.each([300, 301, 302, 303, 307, 308, 399])('treats status %i as a redirect', async (status) => {
    expect(await causeOf(new Response('{}', { status, headers: json }))).toEqual({
      kind: 'redirect',
      message: 'the service answered with a redirect, which is never followed',
      status,
      retryAfterMs: 'never',
    });
  });

  it('detects a redirect that a browser hides or a foreign fetch followed', async () => {
    const hidden = Object.defineProperties(new Response('{}', { headers: json }), {
      type: { value: 'opaqueredirect' },
    });
    expect(await causeOf(hidden)).toMatchObject({ kind: 'redirect' });
    const followed = Object.defineProperties(new Response('{}', { headers: json }), {
      redirected: { value: true },
    });
    expect(await causeOf(followed)).toMatchObject({ kind: 'redirect' });
  });

  it('cancels a body that it will not read', async () => {
    for (const answer of [
      { status: 302 },
      { status: 201 },
      { status: 200, headers: { 'content-type': 'text/html' } },
    ]) {
      const cancel = vi.fn();
      await sendTo(new Response(new ReadableStream({ cancel }), answer));
      expect(cancel).toHaveBeenCalledOnce();
    }
    expect(await causeOf(new Response(null, { status: 201 }))).toMatchObject({ kind: 'invalid_answer' });
  });
});

describe('a failed connection', () => {
  it('names the system code and nothing else of the error', async () => {
    const refused = Object.assign(new TypeError('fetch failed: secret'), { cause: { code: 'ECONNREFUSED' } });
    expect(await causeOf(() => Promise.reject(refused))).toEqual({
      kind: 'connection_failed',
      message: 'the connection to the service failed (ECONNREFUSED)',
      retryAfterMs: 0,
    });
  });

  it.each([
    undefined,
    null,
    'text',
    new Error('secret'),
    { cause: null },
    { cause: { code: 7 } },
    { cause: { code: ['ECONNRESET'] } },
    { cause: { code: 'a secret' } },
    { cause: { code: 'X' } },
    { cause: { code: `A${'B'.repeat(41)}` } },
  ])('does not repeat %j', async (error) => {
    const cause = await causeOf(() => Promise.reject(error));
    expect(cause).toMatchObject({
      kind: 'connection_failed',
      message: 'the connection to the service failed',
    });
  });

  it('may be a fetch that throws synchronously', async () => {
    const cause = await causeOf(() => {
      throw new Error('no');
    });
    expect(cause).toMatchObject({ kind: 'connection_failed' });
  });
});

describe('the body', () => {
  const streamOf = (...chunks: Uint8Array[]) =>
    new ReadableStream({
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
    });
  const bytes = (size: number) => new Uint8Array(size).fill(32);

  it('may be as long as the cap, in any number of pieces', async () => {
    expect(await causeOf(new Response(streamOf(bytes(60), bytes(40)), { headers: json }))).toMatchObject({
      kind: 'answer',
      text: ' '.repeat(100),
    });
  });

  it('is dropped at the first byte beyond the cap, and the rest is not read', async () => {
    let pulls = 0;
    const endless = new ReadableStream(
      {
        pull(controller) {
          pulls += 1;
          controller.enqueue(bytes(30));
        },
      },
      { highWaterMark: 0 },
    );
    expect(await causeOf(new Response(endless, { headers: json }))).toEqual({
      kind: 'invalid_answer',
      message: 'the response is not a decision: it is longer than 100 bytes',
      status: 200,
      retryAfterMs: 'never',
    });
    expect(pulls).toBe(4);
  });

  it('is cancelled if it is too long or not text', async () => {
    for (const chunk of [bytes(101), new Uint8Array([0xff])]) {
      const cancel = vi.fn();
      const endless = new ReadableStream({ pull: (controller) => controller.enqueue(chunk), cancel });
      await sendTo(new Response(endless, { headers: json }));
      expect(cancel).toHaveBeenCalledOnce();
    }
  });

  it('is capped by its decoded size', async () => {
    const server = await startHostileServer(({ socket }) => {
      socket.end(httpAnswer(gzipSync(bytes(50_000_000)), { headers: { 'Content-Encoding': 'gzip' } }));
    }, 1000);
    const outcome = await exchange(
      fetch,
      { ...request, url: server.baseUrl, maxAnswerBytes: 65_536 },
      never,
      () => {},
    );
    expect(outcome).toMatchObject({
      cause: { message: 'the response is not a decision: it is longer than 65536 bytes' },
    });
    await server.close();
  });

  it('may be split within a character', async () => {
    const [first, second] = new TextEncoder().encode('é') as unknown as [number, number];
    const body = streamOf(new Uint8Array([first]), new Uint8Array([second]));
    expect(await causeOf(new Response(body, { headers: json }))).toMatchObject({ text: 'é' });
  });

  it.each([[[0xff]], [[0x22, 0xc3]], [[0xed, 0xa0, 0x80]], [[0xc0, 0xaf]]])(
    'is not text if it is not UTF-8: %j',
    async (raw) => {
      expect(await causeOf(new Response(new Uint8Array(raw), { headers: json }))).toEqual({
        kind: 'invalid_answer',
        message: 'the response is not a decision: it is not UTF-8',
        status: 200,
        retryAfterMs: 'never',
      });
    },
  );

  it('keeps its byte order mark, which no JSON may have', async () => {
    expect(await causeOf(new Response('\ufeff{}', { headers: json }))).toMatchObject({ text: '\ufeff{}' });
  });

  it('may be missing', async () => {
    expect(await causeOf(new Response(null, { headers: json }))).toMatchObject({ kind: 'answer', text: '' });
  });

  it('is retried if the connection breaks in it, but is not an outage: the service had decided', async () => {
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes(1));
      },
      pull() {
        throw new Error('reset');
      },
    });
    expect(await causeOf(new Response(broken, { headers: json }))).toEqual({
      kind: 'invalid_answer',
      message: 'the response is not a decision: the connection broke before its end',
      status: 200,
      retryAfterMs: 0,
    });
  });
});

describe('a refusal', () => {
  const problem = JSON.stringify({
    error: { code: 'invalid_key', message: 'the key is unknown' },
    request_id: 'req_1',
  });

  it('names the code, the message and the request', async () => {
    expect(await causeOf(new Response(problem, { status: 401 }))).toEqual({
      kind: 'refused',
      message: 'the service answered with status 401, `invalid_key`: the key is unknown',
      status: 401,
      code: 'invalid_key',
      requestId: 'req_1',
      retryAfterMs: 'never',
    });
  });

  it.each([
    '',
    'null',
    '[]',
    '{',
    '{"error":null}',
    '{"error":{"code":1,"message":2},"request_id":3}',
    ' '.repeat(65_537),
    '\xff',
  ])('stands without them if the body is not a problem', async (body) => {
    expect(await causeOf(new Response(body, { status: 403 }))).toStrictEqual({
      kind: 'refused',
      message: 'the service answered with status 403',
      status: 403,
      retryAfterMs: 'never',
    });
  });

  it.each(['{"request_id":"r"}', '{"request_id":"r","error":{"code":5,"message":"m"}}'])(
    'names the request even if it names no error: %s',
    async (body) => {
      expect(await causeOf(new Response(body, { status: 403 }))).toStrictEqual({
        kind: 'refused',
        message: 'the service answered with status 403',
        status: 403,
        requestId: 'r',
        retryAfterMs: 'never',
      });
    },
  );

  it('stands with a code alone', async () => {
    const cause = await causeOf(new Response('{"error":{"code":"plan_limit"}}', { status: 403 }));
    expect(cause).toMatchObject({
      message: 'the service answered with status 403, `plan_limit`',
      code: 'plan_limit',
    });
  });

  it('shortens what a hostile service could make endless', async () => {
    const long = 'x'.repeat(1000);
    const body = JSON.stringify({ error: { code: long, message: long }, request_id: long });
    const cause = (await causeOf(new Response(body, { status: 400 }))) as NoDecisionCause;
    expect(cause.code).toHaveLength(100);
    expect(cause.requestId).toHaveLength(128);
    expect(cause.message.length).toBeLessThan(500);
    expect(cause.message).toContain('x'.repeat(300));
  });

  it('is noticed before its body has arrived', async () => {
    const refusals: NoDecisionCause[] = [];
    const slow = new Response(new ReadableStream({}), { status: 400 });
    void exchange(
      async () => slow,
      request,
      never,
      (cause) => refusals.push(cause),
    );
    await new Promise((resolve) => setTimeout(resolve));
    expect(refusals).toEqual([
      { kind: 'refused', message: 'the service answered with status 400', status: 400 },
    ]);
  });

  it.each([500, 502, 503, 599])('with status %i is an outage, and is not remembered', async (status) => {
    const { outcome, refusals } = await sendTo(new Response(problem, { status }));
    expect(outcome).toMatchObject({ cause: { kind: 'service_failed', status }, retryAfterMs: 0 });
    expect(refusals).toEqual([]);
  });

  it.each([
    [503, 'any', '2', 2000],
    [503, 'any', '12', 12_000],
    [503, 'any', undefined, 0],
    [503, 'any', 'soon', 0],
    [503, 'any', '-1', 0],
    [503, 'any', '1.5', 0],
    [429, 'rate_limited', '1', 1000],
    [429, 'rate_limited', undefined, 'never'],
    [409, 'request_in_flight', undefined, 0],
    [409, 'request_in_flight', '3', 3000],
    [409, 'already_redeemed', '3', 'never'],
    [400, 'malformed_json', '3', 'never'],
  ])(
    'with status %i, code %s and Retry-After %s is retried after %s',
    async (status, code, after, expected) => {
      const body = JSON.stringify({ error: { code } });
      const headers: Record<string, string> = after === undefined ? {} : { 'retry-after': after };
      expect(await causeOf(new Response(body, { status, headers }))).toMatchObject({
        retryAfterMs: expected,
      });
    },
  );

  it('counts a Retry-After date from the date of the response, otherwise from now', async () => {
    const retry = 'Sun, 01 Mar 2026 10:00:30 GMT';
    const at = (headers: Record<string, string>) => causeOf(new Response('', { status: 503, headers }));
    expect(await at({ 'retry-after': retry, date: 'Sun, 01 Mar 2026 10:00:00 GMT' })).toMatchObject({
      retryAfterMs: 30_000,
    });
    expect(await at({ 'retry-after': retry, date: 'Sun, 01 Mar 2026 11:00:00 GMT' })).toMatchObject({
      retryAfterMs: 0,
    });
    vi.setSystemTime(new Date('2026-03-01T10:00:10Z'));
    expect(await at({ 'retry-after': retry })).toMatchObject({ retryAfterMs: 20_000 });
    vi.useRealTimers();
  });
});
