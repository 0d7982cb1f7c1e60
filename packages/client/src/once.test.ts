import type { WriteIntent } from '@writecheck/contract';
import { describe, expect, it, vi } from 'vitest';
import { allowFor } from '../../../conformance/client-kit/index.ts';
import type { GuardOptions } from './client-types.ts';
import { createClient } from './create-client.ts';

const intent: WriteIntent = { system: 'crm', operation: 'contact.update' };
type Headers = Readonly<Record<string, string>>;

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A service that answers each check with `respond`, and a client of it. */
function serviceOf(respond: (sent: Sent, index: number) => unknown, options: { redeem?: unknown } = {}) {
  const sent: Sent[] = [];
  const client = createClient({
    apiKey: 'wck_dev_test',
    baseUrl: 'https://writecheck.example',
    retries: 2,
    // No answer here is late; a busy machine only takes longer.
    timeoutMs: 60_000,
    outcomes: false,
    fetch: async (url, init) => {
      sent.push({ url, headers: init.headers, body: String(init.body) });
      const body = url.endsWith('/redeem') ? options.redeem : respond(sent.at(-1)!, sent.length - 1);
      if (body === 'lost') throw new TypeError('fetch failed');
      const { status = 200, replayed = false, ...members } = body as Record<string, unknown>;
      return new Response(JSON.stringify(members), {
        status: status as number,
        headers: {
          'content-type': 'application/json',
          date: new Date().toUTCString(),
          ...(replayed ? { 'idempotency-replayed': 'true' } : {}),
        },
      });
    },
  });
  return { client, sent };
}

function allow({ body, headers }: Sent) {
  return allowFor(body, headers);
}

function refusal(status: number, code: string, details?: unknown) {
  return { status, error: { code, message: code, details } };
}

const NAMES: readonly GuardOptions[] = [{}, { callId: 'call_1' }, { idempotencyKey: 'order-1' }];

describe('a guard takes the allow on which it runs', () => {
  it('with a separate claim for each call, which its retries keep', async () => {
    const { client, sent } = serviceOf((request, index) => (index === 0 ? 'lost' : allow(request)));
    expect((await client.guardWrite(intent, () => 1, { callId: 'c' })).executed).toBe(true);
    await client.guardWrite(intent, () => 1, { callId: 'c' });
    const claims = sent.map(({ headers }) => headers.redeem);
    expect(claims[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(claims[1]).toBe(claims[0]);
    expect(claims[2]).not.toBe(claims[0]);
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('under a key of the call and the write, whatever evidence comes with it', async () => {
    const { client, sent } = serviceOf(allow);
    const PASS = { controlId: 'approval', source: 'desk', result: 'PASS' } as const;
    const key = async (change: Partial<WriteIntent>, callId?: string) => {
      await client.guardWrite({ ...intent, ...change }, () => 1, callId === undefined ? {} : { callId });
      return sent.at(-1)!.headers['idempotency-key'];
    };
    const first = await key({}, 'c');
    expect(await key({ controlEvidence: [PASS] }, 'c')).toBe(first);
    expect(await key({ runId: 'another delivery' }, 'c')).toBe(first);
    expect(await key({}, 'd')).not.toBe(first);
    expect(await key({ operation: 'contact.delete' }, 'c')).not.toBe(first);
    expect(await key({})).not.toBe(await key({}));
  });

  it('and sends no claim if it only checks, or if the write is safe to repeat', async () => {
    const { client, sent } = serviceOf(allow);
    await client.checkWrite(intent, { callId: 'c' });
    expect((await client.guardWrite(intent, () => 1, { callId: 'c', once: false })).executed).toBe(true);
    expect(sent.map(({ headers }) => 'redeem' in headers)).toEqual([false, false]);
  });

  it.each(NAMES)('and runs nothing on another claim: %j', async (options) => {
    for (const once of [true, false]) {
      const write = vi.fn();
      const { client, sent } = serviceOf((request) => ({
        ...allow(request),
        replayed: true,
        redemption: { redeemedAt: '2026-03-01T10:00:00Z', claim: 'another' },
      }));
      const outcome = await client.guardWrite(intent, write, { ...options, once, unprotected: true });
      const { decision_id } = allowFor('{}');
      const decision = { decision: 'block', decision_id, cause: { kind: 'taken' } };
      expect(outcome).toMatchObject({ executed: false, stopped: 'taken', decision });
      expect(write).not.toHaveBeenCalled();
      expect(sent).toHaveLength(1);
    }
  });

  it.each(
    NAMES.flatMap((options) =>
      [
        [409, 'already_redeemed'],
        [422, 'idempotency_key_reused'],
        [409, 'idempotency_key_expired'],
      ].map(([status, code]) => [code, options, status] as const),
    ),
  )('and sends no second check after %s: %j', async (code, options, status) => {
    const write = vi.fn();
    const details = [{ pointer: '/decision_id', message: 'the decision `dec_7` of 2026-03-01T10:00:00Z' }];
    const { client, sent } = serviceOf((request, index) =>
      index === 0 ? refusal(status as number, code as string, details) : allow(request),
    );
    const outcome = await client.guardWrite(intent, write, { ...options, unprotected: true });
    expect(outcome).toMatchObject({ executed: false, stopped: 'taken', decision: { decision_id: 'dec_7' } });
    expect(write).not.toHaveBeenCalled();
    expect(sent).toHaveLength(1);
  });

  it.each(['', 'a\ud800b', 5 as unknown as string])(
    'and asks nothing for a call whose name is no text: %j',
    async (callId) => {
      const { client, sent } = serviceOf(allow);
      const write = vi.fn();
      const outcome = await client.guardWrite(intent, write, { callId });
      expect(outcome).toMatchObject({ executed: false, decision: { cause: { kind: 'client_fault' } } });
      expect([write.mock.calls.length, sent.length]).toEqual([0, 0]);
    },
  );

  it('and asks once a run, under one key, however often the call was paused', async () => {
    const { client, sent } = serviceOf((request, index) =>
      index < 3 ? { ...allow(request), decision: 'pause', allowed: false } : allow(request),
    );
    for (const executed of [false, false, false, true])
      expect(await client.guardWrite(intent, () => 1, { callId: 'c' })).toMatchObject({ executed });
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers.redeem)).size).toBe(4);
  });

  it('and a polluted prototype does not switch that off', async () => {
    const { client, sent } = serviceOf(allow);
    Object.defineProperty(Object.prototype, 'once', { value: false, configurable: true });
    try {
      await client.guardWrite(intent, () => 1, {});
    } finally {
      Reflect.deleteProperty(Object.prototype, 'once');
    }
    expect(sent[0]!.headers).toHaveProperty('redeem');
  });
});

describe('with a service without claims, the allow is redeemed before the write', () => {
  const old = (request: Sent) => ({ ...allow(request), redemption: undefined });
  const REDEEMED = { redeemed: true, redeemedAt: '2026-03-01T10:00:00Z' };

  it.each([REDEEMED, { ...REDEEMED, success: true, error: null }])(
    'by a separate call: %j',
    async (redeem) => {
      const { client, sent } = serviceOf(old, { redeem });
      const outcome = await client.guardWrite(intent, () => sent.length, { callId: 'c' });
      expect(outcome).toMatchObject({ executed: true, result: 2 });
      const { decision_id, intentDigest } = allow(sent[0]!);
      expect(sent[1]).toMatchObject({
        url: `https://writecheck.example/v1/decisions/${decision_id}/redeem`,
        headers: { 'idempotency-key': sent[0]!.headers.redeem },
        body: JSON.stringify({ intentDigest }),
      });
    },
  );

  it('and not written if another has redeemed it', async () => {
    const write = vi.fn();
    const { client } = serviceOf(old, { redeem: refusal(409, 'already_redeemed') });
    expect(await client.guardWrite(intent, write)).toMatchObject({
      executed: false,
      stopped: 'taken',
      decision: { decision_id: allowFor('{}').decision_id },
    });
    expect(write).not.toHaveBeenCalled();
  });

  it.each([
    refusal(409, 'not_redeemable'),
    refusal(404, 'not_found'),
    refusal(503, 'overloaded'),
    'lost',
    {},
    { ...REDEEMED, success: false },
    { ...REDEEMED, success: null },
    { ...REDEEMED, error: { code: 'x', message: 'x' } },
  ])('and not written after %j, not even unprotected', async (redeem) => {
    const write = vi.fn();
    const { client } = serviceOf(old, { redeem });
    expect(await client.guardWrite(intent, write, { unprotected: true })).toMatchObject({
      executed: false,
      decision: { cause: { kind: 'not_redeemed' } },
    });
    expect(write).not.toHaveBeenCalled();
  });
});

describe('an outcome says what stopped the write', () => {
  const stopWith = (members: object) =>
    serviceOf((request) => ({
      ...allow(request),
      decision: 'pause',
      allowed: false,
      redemption: undefined,
      ...members,
    })).client.guardWrite(intent, () => 1);

  it('a freeze, with its reason', async () => {
    expect(await stopWith({ reason_code: 'frozen', reason: 'it pays everybody twice' })).toMatchObject({
      executed: false,
      stopped: 'frozen',
      decision: { reason: 'it pays everybody twice' },
    });
  });

  it('a limit, with the latest end of those that are used up', async () => {
    const limit = (resetsAt: unknown, beyond = true, observed = false) => ({ resetsAt, beyond, observed });
    const limits = [
      limit('2026-11-18T00:00:00Z'),
      limit('2026-11-18T01:30:00+02:00'),
      limit(null),
      limit('2027-01-01T00:00:00Z', false),
      limit('2028-01-01T00:00:00Z', true, true),
      limit('later'),
      null,
    ];
    for (const [sent, resetsAt] of [
      [limits, '2026-11-18T00:00:00Z'],
      [[limit(null)], null],
      [undefined, null],
      ['all', null],
    ]) {
      const outcome = await stopWith({ reason_code: 'limit_exceeded', limits: sent });
      expect(outcome).toMatchObject({ executed: false, stopped: 'limit', resetsAt });
    }
    expect(await stopWith({ reason_code: 'limit_unreadable' })).toMatchObject({ stopped: 'limit' });
  });

  it('or nothing, if only the decision does', async () => {
    expect(await stopWith({ reason_code: 'authority_unverified' })).not.toHaveProperty('stopped');
  });
});
