import { inspect } from 'node:util';
import type { WriteIntent } from '@writecheck/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { allowFor, answerWith, startHostileServer } from '../../../conformance/client-kit/index.ts';
import { createClient } from './create-client.ts';
import type { WriteDecision } from './decision-types.ts';
import { isLocalDecision } from './local-decision.ts';

const apiKey = 'wck_dev_canary_secret';
const baseUrl = 'https://writecheck.example/base';
const intent: WriteIntent = {
  system: 'crm',
  objectType: 'contact',
  objectRef: 'c-1',
  field: 'email',
  agentValue: 'a',
};
const other: WriteIntent = { ...intent, agentValue: 'b' };

function answer(body: unknown, init: { status?: number; headers?: Record<string, string> } = {}) {
  return new Response(JSON.stringify(body), {
    status: 200,
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  });
}
/** Headers of the newest check by any client of `clientOf`. */
let newest: Record<string, string> = {};
/** An allow for the intent, in response to the newest request. */
function allowed(changes: object = {}) {
  return { ...allowFor(JSON.stringify(intent), newest), ...changes };
}

/** A client whose service responds as configured, and what the service received. */
function clientOf(respond: (init: RequestInit, url: string) => Response | Promise<Response>, options = {}) {
  const sent: { url: string; headers: Record<string, string>; body: string }[] = [];
  const client = createClient({
    apiKey,
    baseUrl,
    retries: 0,
    outcomes: false,
    fetch: async (url, init) => {
      sent.push({ url, headers: init.headers as Record<string, string>, body: init.body as string });
      newest = init.headers;
      return respond(init, url);
    },
    ...options,
  });
  return { client, sent };
}
function causeKind(decision: WriteDecision) {
  return isLocalDecision(decision) ? decision.cause.kind : undefined;
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('checkWrite', () => {
  it('sends the intent with the key and an idempotency key', async () => {
    const { client, sent } = clientOf(() => answer(allowed()));
    await client.checkWrite(intent);
    expect(sent).toEqual([
      {
        url: 'https://writecheck.example/base/v1/check-write',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          accept: 'application/json',
          'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
          'x-request-id': expect.stringMatching(/^[0-9a-f]{32}$/),
        },
        body: JSON.stringify(intent),
      },
    ]);
  });

  it.each(['idempotency-key', 'x-request-id'])(
    'uses another %s for every call and the same one for every retry',
    async (header) => {
      const { client, sent } = clientOf(() => answer({}, { status: 503 }), { retries: 2 });
      await client.checkWrite(intent);
      await client.checkWrite(intent);
      const values = sent.map(({ headers }) => headers[header]);
      expect(values).toHaveLength(6);
      expect(new Set(values.slice(0, 3)).size).toBe(1);
      expect(new Set(values).size).toBe(2);
    },
  );

  it('returns the decision as the service made it', async () => {
    const decision = allowed({ decision: 'pause', allowed: false, extra: 1 });
    const { client } = clientOf(() => answer(decision));
    expect(await client.checkWrite(intent)).toEqual(decision);
  });

  it('turns anything that is not a decision into a local block with all required members', async () => {
    const { client } = clientOf(() =>
      answer({ error: { code: 'invalid_key', message: 'unknown' } }, { status: 401 }),
    );
    expect(await client.checkWrite(intent)).toEqual({
      decision: 'block',
      allowed: false,
      reason:
        'no valid decision, so the write must not run: the service answered with status 401, `invalid_key`: unknown',
      reason_code: 'no_valid_decision',
      schemaVersion: 'write_intent.v1',
      origin: 'client',
      cause: {
        kind: 'refused',
        message: 'the service answered with status 401, `invalid_key`: unknown',
        status: 401,
        code: 'invalid_key',
      },
    });
  });

  it.each(['', '{', 'nope', '{"decision":"allow","decision":"block"}'])(
    'says what is wrong with the text %j',
    async (text) => {
      const { client } = clientOf(
        () => new Response(text, { headers: { 'content-type': 'application/json' } }),
      );
      expect(await client.checkWrite(intent)).toMatchObject({
        cause: {
          kind: 'invalid_answer',
          message: 'the response is not a decision: it is not JSON without duplicates',
          status: 200,
        },
      });
    },
  );

  it('says what is wrong with a decision that is not valid', async () => {
    const { client } = clientOf(() => answer(allowed({ allowed: false })));
    expect(await client.checkWrite(intent)).toMatchObject({
      reason_code: 'no_valid_decision',
      cause: {
        message: 'the response is not a decision: its `allowed` disagrees with its `decision`',
        status: 200,
      },
    });
  });

  it('names the error of an envelope with status 200', async () => {
    const { client } = clientOf(() => answer({ error: { code: 'c', message: 'm' } }));
    expect(await client.checkWrite(intent)).toMatchObject({
      cause: { kind: 'refused', code: 'c', message: 'the service refused, `c`: m' },
    });
  });

  it.each([{ error: { code: 1, message: 'm' } }, { error: { code: 'c' } }, { error: 'c' }, null])(
    'does not treat %j as an envelope',
    async (body) => {
      const { client } = clientOf(() => answer(body));
      expect(await client.checkWrite(intent)).toMatchObject({ cause: { kind: 'invalid_answer' } });
    },
  );

  it('shortens what an envelope could make endless', async () => {
    const long = 'x'.repeat(1000);
    const { client } = clientOf(() => answer({ error: { code: long, message: long } }));
    const decision = await client.checkWrite(intent);
    expect(decision).toMatchObject({ cause: { code: 'x'.repeat(100) } });
    expect(decision.reason.length).toBeLessThan(600);
    expect(decision.reason).toContain('x'.repeat(300));
  });

  it('blocks a decision that ends at the moment it is read', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(5);
    const timestamp = '2026-03-01T10:00:00.000Z';
    const { client } = clientOf(() => answer(allowed({ timestamp, validUntil: timestamp })));
    expect(causeKind(await client.checkWrite(intent))).toBe('expired');
    const later = clientOf(() => answer(allowed({ timestamp, validUntil: '2026-03-01T10:00:00.001Z' })));
    expect(await later.client.checkWrite(intent)).toMatchObject({ decision: 'allow' });
  });

  it('blocks an intent that cannot be sent, without sending anything', async () => {
    const { client, sent } = clientOf(() => answer(allowed()));
    const decision = await client.checkWrite({ ...intent, metadata: { n: 1n as never } });
    expect(decision).toMatchObject({
      decision: 'block',
      origin: 'client',
      cause: { kind: 'invalid_intent', message: 'the intent cannot be written as a JSON object' },
    });
    expect(sent).toEqual([]);
  });

  it('blocks and does not reject if the runtime itself fails', async () => {
    const error = new Error('secret');
    vi.spyOn(crypto.subtle, 'digest').mockRejectedValue(error);
    const { client } = clientOf(() => answer(allowed()));
    const decision = await client.checkWrite(intent);
    expect(decision).toMatchObject({
      cause: { kind: 'client_fault', message: 'the check failed inside the client', error },
    });
    expect(JSON.stringify(decision)).not.toContain('secret');
  });

  it('blocks if fetch returns something that is not a response', async () => {
    const { client } = clientOf(() => undefined as never);
    expect(causeKind(await client.checkWrite(intent))).toBe('client_fault');
  });

  it('can be aborted', async () => {
    const { client, sent } = clientOf(() => answer(allowed()));
    expect(causeKind(await client.checkWrite(intent, { signal: AbortSignal.abort() }))).toBe('aborted');
    expect(sent).toEqual([]);
  });

  it('accepts a decision that ends only after it has arrived, and no other', async () => {
    const lifetime = (ms: number) => ({
      timestamp: '2026-03-01T10:00:00.000Z',
      validUntil: new Date(Date.parse('2026-03-01T10:00:00Z') + ms).toISOString(),
    });
    const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    const slow = clientOf(async () => {
      await after(60);
      return answer(allowed(lifetime(30)));
    });
    expect(await slow.client.checkWrite(intent)).toMatchObject({
      cause: { kind: 'expired', message: 'the decision was no longer valid when it arrived' },
    });
    const quick = clientOf(() => answer(allowed(lifetime(5000))));
    expect(await quick.client.checkWrite(intent)).toMatchObject({ decision: 'allow' });
  });
});

describe('a key of the caller', () => {
  const at = (ms: number) => new Date(ms).toISOString();
  const now = Date.parse('2026-03-01T10:00:00Z');
  const old = () => allowed({ timestamp: at(now - 100_000), validUntil: at(now + 100_000) });
  const date = (ms: number) => ({ headers: { date: new Date(ms).toUTCString() } });
  const replayedAt = (ms: number) => ({
    headers: { 'idempotency-replayed': 'true', date: new Date(ms).toUTCString() },
  });

  it('is sent', async () => {
    const { client, sent } = clientOf(() => answer(old(), date(now)));
    await client.checkWrite(intent, { idempotencyKey: 'order-17' });
    expect(sent[0]?.headers['idempotency-key']).toBe('order-17');
  });

  it('may return the allow of another call while it holds by the date of the reply', async () => {
    const check = async (init: object) =>
      (
        await clientOf(() => answer({ ...old(), request_id: 'req_first' }, init)).client.checkWrite(intent, {
          idempotencyKey: 'k',
        })
      ).decision;
    expect(await check(replayedAt(now))).toBe('allow');
    expect(await check(replayedAt(now + 100_000))).toBe('block');
    expect(await check({ headers: { 'idempotency-replayed': 'true' } })).toBe('block');
    expect(await check({ headers: { 'idempotency-replayed': 'true', date: '0' } })).toBe('block');
    // Not marked as a replay, it is the response to somebody else's request.
    expect(await check(date(now))).toBe('block');
    expect(await check({ headers: { ...date(now).headers, 'idempotency-replayed': 'false' } })).toBe('block');
  });

  it('may be omitted, and then a replay counts only for a request of this very call', async () => {
    const check = async (init: object, changes: object = {}) =>
      clientOf(() => answer({ ...old(), ...changes }, init)).client.checkWrite(intent);
    expect(await check(date(now + 100_000))).toMatchObject({ decision: 'allow' });
    expect(await check(replayedAt(now))).toMatchObject({ decision: 'allow' });
    expect(causeKind(await check(replayedAt(now + 100_000)))).toBe('expired');
    // A forger of a replay can forge its date too: nobody else has used the random key of this call.
    expect(causeKind(await check(replayedAt(now), { request_id: 'req_first' }))).toBe('invalid_answer');
  });

  it.each(['', 'two words', 'x'.repeat(256), 'é', 'a\nb'])(
    'is refused before anything is sent when it is %j',
    async (idempotencyKey) => {
      const { client, sent } = clientOf(() => answer(allowed()));
      const outcome = await client.guardWrite(intent, () => 1, { idempotencyKey, unprotected: true });
      expect(outcome).toMatchObject({
        executed: false,
        decision: {
          cause: {
            kind: 'client_fault',
            message: '`idempotencyKey` must be 1 to 255 visible ASCII characters',
          },
        },
      });
      expect(sent).toEqual([]);
    },
  );
});

describe('guardWrite', () => {
  it('runs the write once on a valid allow, passes it the decision and returns its result', async () => {
    const { client } = clientOf(() => answer(allowed({ decision: 'ALLOW' })));
    const write = vi.fn(async (decision: WriteDecision) => decision.reason_code);
    const outcome = await client.guardWrite(intent, write);
    expect(outcome).toEqual({
      executed: true,
      decision: {
        ...allowed(),
        timestamp: expect.anything(),
        validUntil: expect.anything(),
        redemption: { redeemedAt: expect.anything(), claim: newest.redeem },
      },
      result: 'requirements_met',
    });
    expect(write).toHaveBeenCalledOnce();
  });

  it.each(['pause', 'block'])('does not run it on %s', async (decision) => {
    const { client } = clientOf(() => answer(allowed({ decision, allowed: false })));
    const write = vi.fn();
    expect(await client.guardWrite(intent, write)).toEqual({
      executed: false,
      decision: expect.objectContaining({ decision }),
    });
    expect(write).not.toHaveBeenCalled();
  });

  it('throws what the write throws, synchronously or later', async () => {
    const { client } = clientOf(() => answer(allowed()));
    const broken = new Error('the CRM is down');
    await expect(client.guardWrite(intent, () => Promise.reject(broken))).rejects.toBe(broken);
    await expect(
      client.guardWrite(intent, () => {
        throw broken;
      }),
    ).rejects.toBe(broken);
  });

  it('sends the intent as it was when it was called', async () => {
    const changing = { ...intent };
    const { client, sent } = clientOf(() => answer(allowed()));
    const outcome = client.guardWrite(changing, () => 'written');
    changing.agentValue = 'changed';
    expect(await outcome).toMatchObject({ executed: true });
    expect(JSON.parse(sent[0]!.body)).toEqual(intent);
  });

  it('does not run the write if the allow expired in the moment before', async () => {
    const made = Date.now();
    const { client } = clientOf(() =>
      answer(
        allowed({ timestamp: new Date(made).toISOString(), validUntil: new Date(made + 1000).toISOString() }),
      ),
    );
    const real = performance.now.bind(performance);
    let calls = 0;
    // The last clock reading comes before the write: by then a second has passed.
    vi.spyOn(performance, 'now').mockImplementation(() => real() + (++calls > 2 ? 1000 : 0));
    const write = vi.fn();
    expect(await client.guardWrite(intent, write)).toMatchObject({
      executed: false,
      decision: { cause: { kind: 'expired' } },
    });
    expect(write).not.toHaveBeenCalled();
  });

  it('does not run the write if the caller aborted while the allow was being read', async () => {
    const abort = new AbortController();
    const { client } = clientOf(() => answer(allowed()));
    const real = performance.now.bind(performance);
    let calls = 0;
    // The second clock reading finds the response in time; the abort comes right after it.
    vi.spyOn(performance, 'now').mockImplementation(() => {
      calls += 1;
      if (calls === 2) abort.abort();
      return real();
    });
    const outcome = await client.guardWrite(intent, () => 'written', { signal: abort.signal });
    expect(outcome).toMatchObject({
      executed: false,
      decision: { cause: { kind: 'aborted', message: 'the caller aborted the check' } },
    });
  });

  it('accepts null for no options', async () => {
    const { client } = clientOf(() => answer(allowed()));
    expect(await client.guardWrite(intent, () => 1, null as never)).toMatchObject({ executed: true });
  });

  it('does not run the write of another intent', async () => {
    const { client } = clientOf(() => answer(allowed()));
    expect(await client.guardWrite(other, () => 'written')).toMatchObject({ executed: false });
  });
});

describe('an unprotected write', () => {
  const outcome = async (
    respond: () => Response | Promise<Response>,
    options: object = { unprotected: true },
  ) => {
    const { client } = clientOf(respond, { timeoutMs: 40 });
    return client.guardWrite(intent, (decision) => decision.reason_code, options);
  };
  const lost = () => Promise.reject(new TypeError('fetch failed'));
  const hang = () => new Promise<never>(() => {});

  it.each([
    ['a timeout', hang, 'timeout'],
    ['a failed connection', lost, 'connection_failed'],
    ['a 500', () => answer(allowed(), { status: 500 }), 'service_failed'],
    ['a 503', () => answer({}, { status: 503 }), 'service_failed'],
  ])('runs on %s, and the outcome says so', async (_, respond, kind) => {
    expect(await outcome(respond)).toMatchObject({
      executed: true,
      unprotected: true,
      decision: { decision: 'block', allowed: false, origin: 'client', cause: { kind } },
      result: 'no_valid_decision',
    });
  });

  it.each([
    ['a pause', () => answer(allowed({ decision: 'pause', allowed: false }))],
    ['a block', () => answer(allowed({ decision: 'block', allowed: false }))],
    ['a 400', () => answer({}, { status: 400 })],
    ['a 401', () => answer({}, { status: 401 })],
    ['a 429', () => answer({}, { status: 429 })],
    ['a 499', () => answer({}, { status: 499 })],
    ['a redirect', () => answer(allowed(), { status: 307 })],
    ['a 201', () => answer(allowed(), { status: 201 })],
    ['HTML', () => answer(allowed(), { headers: { 'content-type': 'text/html' } })],
    ['an allow that is not valid', () => answer(allowed({ allowed: false }))],
    ['an allow for another intent', () => answer(allowed({ intentDigest: 'sha256:0' }))],
    ['an allow that ran out', () => answer(allowed({ validUntil: '2020-01-01T00:00:00Z' }))],
    [
      'an allow cut off',
      () => new Response('{"decision":"al', { headers: { 'content-type': 'application/json' } }),
    ],
    ['a 4xx whose body never ends', () => new Response(new ReadableStream({}), { status: 403 })],
  ])('is still stopped by %s', async (_, respond) => {
    const stopped = await outcome(respond);
    expect(stopped.executed).toBe(false);
    expect(stopped).not.toHaveProperty('unprotected');
  });

  it('is still stopped by an intent that cannot be sent, and by an abort', async () => {
    const { client } = clientOf(lost);
    const write = vi.fn();
    await client.guardWrite({ system: 1n } as never, write, { unprotected: true });
    await client.guardWrite(intent, write, { unprotected: true, signal: AbortSignal.abort() });
    expect(write).not.toHaveBeenCalled();
  });

  it('does not say so if there was an allow', async () => {
    expect(await outcome(() => answer(allowed()))).not.toHaveProperty('unprotected');
  });

  it.each([
    {},
    { unprotected: undefined },
    { unprotected: false },
    { unprotected: 'true' },
    { unprotected: 1 },
  ])('requires true, not %j', async (options) => {
    expect(await outcome(lost, options)).toMatchObject({ executed: false });
  });

  it('must be set when the call is made', async () => {
    const { client } = clientOf(lost);
    const options = { unprotected: false };
    const pending = client.guardWrite(intent, () => 1, options);
    options.unprotected = true;
    expect(await pending).toMatchObject({ executed: false });
  });
});

describe('a response', () => {
  it('that is too long is no decision', async () => {
    const { client } = clientOf(() => answer(allowed({ filler: 'x'.repeat(5 * 1024 * 1024) })));
    expect(causeKind(await client.checkWrite(intent))).toBe('invalid_answer');
  });
});

describe('the key', () => {
  it('is in nothing that can be printed or serialized', async () => {
    const echo = JSON.stringify({
      error: { code: apiKey, message: `bad key ${apiKey}` },
      request_id: apiKey,
    });
    const { client } = clientOf(() => new Response(echo, { status: 401 }));
    const decision = await client.checkWrite(intent);
    const envelope = await clientOf(() => answer(JSON.parse(echo))).client.checkWrite(intent);
    for (const thing of [client, decision, envelope]) {
      expect(JSON.stringify(thing) + inspect(thing, { depth: 10, showHidden: true })).not.toContain(apiKey);
    }
    expect(decision).toMatchObject({
      cause: { code: '[key]', requestId: '[key]', message: expect.stringContaining('bad key [key]') },
    });
  });

  it('is not partly shown if the text that echoes it is cut', async () => {
    for (const before of [90, 95, 120, 290, 295]) {
      const echoed = 'x'.repeat(before) + apiKey;
      const problem = { error: { code: echoed, message: echoed }, request_id: echoed };
      const refused = clientOf(() => new Response(JSON.stringify(problem), { status: 401 }));
      const placed = clientOf(() => answer(problem));
      for (const { client } of [refused, placed])
        expect(JSON.stringify(await client.checkWrite(intent))).not.toContain(apiKey.slice(0, 6));
    }
  });

  it('is sent only to the configured address', async () => {
    const seen: string[] = [];
    const elsewhere = await startHostileServer((attack) => {
      seen.push(attack.headers.authorization ?? '');
      answerWith({})(attack);
    }, 1000);
    const server = await startHostileServer(
      answerWith({}, { status: 307, headers: { Location: `${elsewhere.baseUrl}/v1/check-write` } }),
      1000,
    );
    const client = createClient({ apiKey, baseUrl: server.baseUrl });
    expect(causeKind(await client.checkWrite(intent))).toBe('redirect');
    expect(seen).toEqual([]);
    await Promise.all([server.close(), elsewhere.close()]);
  });
});

describe('the client', () => {
  it('cannot be changed', () => {
    const { client } = clientOf(() => answer(allowed()));
    expect(Object.isFrozen(client)).toBe(true);
  });

  it('reads its settings from the environment', async () => {
    vi.stubEnv('WRITECHECK_API_KEY', apiKey);
    vi.stubEnv('WRITECHECK_URL', 'http://127.0.0.1:1');
    expect(causeKind(await createClient().checkWrite(intent))).toBe('connection_failed');
    vi.unstubAllEnvs();
  });

  it('distinguishes a local decision from one of the service', async () => {
    const { client } = clientOf(() => answer(allowed({ origin: 'client' })));
    expect(isLocalDecision(await client.checkWrite(intent))).toBe(false);
    expect(isLocalDecision(await client.checkWrite(other))).toBe(true);
  });
});
