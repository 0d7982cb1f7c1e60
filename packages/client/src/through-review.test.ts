import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type HonestService, startHonestService } from '../../../conformance/client-kit/index.ts';
import type { GuardOptions, IntentSource } from './client-types.ts';
import { createClient } from './create-client.ts';
import type { Fetch } from './platform.ts';
import { intentDigest } from './snapshot-intent.ts';

const intent = {
  system: 'crm',
  objectType: 'contact',
  objectRef: 'c-1',
  field: 'email',
  agentValue: 'a@b.c',
};
const review = { waitMs: 20_000 };

let service: HonestService;
beforeEach(async () => {
  service = await startHonestService();
});
afterEach(() => service.close());

function clientWith(fetch: Fetch = (url, init) => globalThis.fetch(url, init)) {
  return createClient({ apiKey: 'wck_dev_test', baseUrl: service.baseUrl, timeoutMs: 20_000, fetch });
}

/** Guards a write of the intent and counts how often it ran. */
async function guard(options: GuardOptions, source: IntentSource = intent, client = clientWith()) {
  const write = vi.fn(() => 'written');
  const outcome = await client.guardWrite(source, write, options);
  return { outcome, writes: write.mock.calls.length };
}

async function opening() {
  await vi.waitFor(() => expect(service.reviews.length).toBe(1), { timeout: 10_000, interval: 10 });
}

/** Resolves the first review as soon as it exists. */
async function resolveLater(state: 'approved' | 'rejected' | 'expired' | 'cancelled', afterMs = 50) {
  await opening();
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  service.resolve(service.reviews[0]!.id, state);
}

function asked() {
  return service.requests.filter((line) => line === 'POST /v1/check-write').length;
}

describe('guardWrite with `review`', () => {
  it('opens a review on a pause, waits, and writes once it is approved', async () => {
    const words = { justification: 'new address', onBehalfOf: 'ada@example.com', externalRef: 'https://t/1' };
    const resolved = resolveLater('approved', 3000);
    const { outcome, writes } = await guard({ review: { ...review, ...words } });
    await resolved;
    const { id } = service.reviews[0]!;
    expect(writes).toBe(1);
    expect(outcome).toMatchObject({ executed: true, result: 'written', decision: { decision: 'allow' } });
    expect(outcome).toHaveProperty('review', {
      id,
      url: `http://localhost:8080/#/reviews/${id}`,
      state: 'approved',
    });
    expect(service.reviews[0]!.askedBy).toEqual([words]);
    // Every two seconds: three reads in three seconds and a little.
    expect(service.requests.filter((line) => line.startsWith('GET')).length).toBeLessThanOrEqual(3);
  });

  it.each(['rejected', 'expired', 'cancelled'] as const)(
    'does not write when the review is %s',
    async (state) => {
      const resolved = resolveLater(state);
      const { outcome, writes } = await guard({ review, unprotected: true });
      await resolved;
      expect(writes).toBe(0);
      expect(outcome).toMatchObject({
        executed: false,
        decision: { decision: 'pause' },
        review: { state },
        stopped: state,
      });
    },
  );

  it('gives up when the time is over, and returns the open review', async () => {
    const { outcome, writes } = await guard({ review: { waitMs: 300 } });
    expect(writes).toBe(0);
    expect(outcome).toMatchObject({ stopped: 'out_of_time', review: { state: 'open' } });
  });

  it('with no time to wait opens the review and does not read it', async () => {
    const { outcome } = await guard({ review: { waitMs: 0 } });
    expect(outcome).toMatchObject({ executed: false, stopped: 'out_of_time' });
    expect(service.requests).toEqual(['POST /v1/check-write', 'POST /v1/reviews']);
    service.resolve(service.reviews[0]!.id, 'approved');
    expect(await guard({ review: { waitMs: 0 } })).toMatchObject({ writes: 1, outcome: { executed: true } });
    expect(service.reviews).toHaveLength(1);
  });

  it('checks again with fresh evidence of the caller and the evidence of the review, under the key of the call', async () => {
    const bodies: { key: string; evidence: readonly { controlId: string; source: string }[] }[] = [];
    const client = clientWith((url, init) => {
      if (url.endsWith('/check-write')) {
        const { controlEvidence } = JSON.parse(String(init.body));
        bodies.push({ key: init.headers['idempotency-key']!, evidence: controlEvidence });
      }
      return globalThis.fetch(url, init);
    });
    let calls = 0;
    const source = () => {
      calls += 1;
      const controlEvidence = [{ controlId: 'identity', source: `session-${calls}`, result: 'PASS' }];
      return { ...intent, controlEvidence };
    };
    const resolved = resolveLater('approved');
    const { writes } = await guard({ review, idempotencyKey: 'order-17' }, source, client);
    await resolved;
    expect(writes).toBe(1);
    // The second is sent once the review is open, in case another run used the approval meanwhile.
    expect(bodies.map(({ evidence }) => evidence.map((item) => item.source))).toEqual([
      ['session-1'],
      ['session-1'],
      ['session-2', 'review-desk'],
    ]);
    expect(new Set(bodies.map(({ key }) => key))).toEqual(new Set(['order-17']));
  });

  it('sends nothing if the write is no longer the approved write', async () => {
    let value = 'a@b.c';
    const source = () => ({ ...intent, agentValue: value });
    const changed = opening().then(() => {
      value = 'evil@example.org';
    });
    const resolved = changed.then(() => resolveLater('approved'));
    const { outcome, writes } = await guard({ review }, source);
    await resolved;
    expect(writes).toBe(0);
    expect(outcome).toMatchObject({ stopped: 'changed_since_approval', review: { state: 'approved' } });
    expect(asked()).toBe(1);
  });

  it('uses an intent that is an object as it was at the call', async () => {
    const mutable = { ...intent };
    const resolved = resolveLater('approved');
    const guarded = guard({ review }, mutable);
    mutable.agentValue = 'evil@example.org';
    expect(await guarded).toMatchObject({ writes: 1 });
    await resolved;
    expect(service.reviews[0]!.intentDigest).toBe(await intentDigest(intent));
  });

  it('does not write if the function that makes the intent throws the second time', async () => {
    let calls = 0;
    const source = () => {
      calls += 1;
      if (calls === 2) throw new Error('the CRM is away');
      return intent;
    };
    const resolved = resolveLater('approved');
    const { outcome, writes } = await guard({ review }, source);
    await resolved;
    expect(writes).toBe(0);
    expect(outcome).toMatchObject({ decision: { cause: { kind: 'invalid_intent' } } });
  });

  it('is stopped by the signal while it waits', async () => {
    const gone = new AbortController();
    const isRead = () => service.requests.some((line) => line.startsWith('GET'));
    const aborted = vi.waitFor(() => expect(isRead()).toBe(true), 10_000).then(() => gone.abort());
    const { outcome, writes } = await guard({ review, signal: gone.signal });
    await aborted;
    expect(writes).toBe(0);
    expect(outcome).toMatchObject({ decision: { cause: { kind: 'aborted' } }, review: { state: 'open' } });
  });

  it('does not write after an abort that comes with the approval', async () => {
    const gone = new AbortController();
    const client = clientWith(async (url, init) => {
      const response = await globalThis.fetch(url, init);
      if (String(init.body).includes('urn:writecheck:review:')) gone.abort();
      return response;
    });
    const resolved = resolveLater('approved');
    const { outcome, writes } = await guard({ review, signal: gone.signal }, intent, client);
    await resolved;
    expect(writes).toBe(0);
    expect(outcome).toMatchObject({ decision: { cause: { kind: 'aborted' } } });
  });

  it.each([
    ['when opened', '/v1/reviews'],
    ['when read', '/v1/reviews/'],
    ['when asked again', 'urn:writecheck:review:'],
  ])('runs nothing unprotected after a pause: an outage %s', async (_, at) => {
    const client = clientWith((url, init) => {
      const isHit = at.startsWith('/')
        ? new RegExp(`${at}(rev_|$)`).test(url)
        : String(init.body).includes(at);
      if (isHit) return Promise.reject(new TypeError('fetch failed'));
      return globalThis.fetch(url, init);
    });
    const resolved = at === '/v1/reviews' ? Promise.resolve() : resolveLater('approved');
    const { outcome, writes } = await guard({ review: { waitMs: 600 }, unprotected: true }, intent, client);
    await resolved;
    expect(writes).toBe(0);
    expect(outcome.executed).toBe(false);
  });

  it('waits out an outage while the review is open', async () => {
    let reads = 0;
    const client = clientWith((url, init) => {
      if (url.includes('/reviews/rev_')) reads += 1;
      return reads > 0 && reads < 4 && url.includes('/reviews/rev_')
        ? Promise.reject(new TypeError('fetch failed'))
        : globalThis.fetch(url, init);
    });
    const resolved = resolveLater('approved');
    expect(await guard({ review }, intent, client)).toMatchObject({ writes: 1 });
    await resolved;
  });

  it('does not poll a service in a tight loop that responds immediately while the review is open', async () => {
    let reads = 0;
    const client = clientWith((url, init) => {
      if (url.includes('/reviews/rev_')) reads += 1;
      return globalThis.fetch(url.replace(/\?wait=\d+$/, ''), init);
    });
    const { outcome } = await guard({ review: { waitMs: 2500 } }, intent, client);
    expect(outcome).toMatchObject({ stopped: 'out_of_time' });
    expect(reads).toBeLessThanOrEqual(6);
    expect(reads).toBeGreaterThan(1);
  });

  it.each([Number.NaN, -1, '5', undefined])('sends nothing with `waitMs` %s', async (waitMs) => {
    const { outcome } = await guard({ review: { waitMs: waitMs as number } });
    expect(outcome).toMatchObject({ decision: { cause: { kind: 'client_fault' } } });
    expect(service.requests).toEqual([]);
  });

  it('does not reject, whatever the texts are', async () => {
    const { outcome } = await guard({ review: { waitMs: 0, justification: 1n as unknown as string } });
    expect(outcome).toMatchObject({ executed: false, decision: { cause: { kind: 'client_fault' } } });
  });
});

it('without `review` nothing is opened', async () => {
  const { outcome } = await guard({});
  expect(outcome).toEqual({ executed: false, decision: expect.objectContaining({ decision: 'pause' }) });
  expect(service.requests).toEqual(['POST /v1/check-write']);
});

describe('a call with a name', () => {
  it.each([{ callId: 'call-1' }, { idempotencyKey: 'order-17' }])(
    'gets its allow again after a failed write that is safe to repeat: %j',
    async (named) => {
      const client = clientWith();
      const name = { ...named, once: false };
      await guard({ review: { waitMs: 0 }, ...name });
      service.resolve(service.reviews[0]!.id, 'approved');
      const failing = client.guardWrite(intent, () => Promise.reject(new Error('the CRM answers 503')), {
        review: { waitMs: 0 },
        ...name,
      });
      await expect(failing).rejects.toThrow('the CRM answers 503');
      expect(await guard({ review: { waitMs: 0 }, ...name })).toMatchObject({ writes: 1 });
      // Another call has no share in it, and needs its own review.
      expect(service.reviews).toHaveLength(1);
      expect(await guard({ review: { waitMs: 0 }, callId: 'call-2' })).toMatchObject({ writes: 0 });
      expect(service.reviews).toHaveLength(2);
    },
  );

  it.each([{ callId: 'call-1' }, { idempotencyKey: 'order-17' }])(
    'does not repeat a write that may have run, and opens no review for it: %j',
    async (name) => {
      await guard({ review: { waitMs: 0 }, ...name });
      service.resolve(service.reviews[0]!.id, 'approved');
      const failing = clientWith().guardWrite(intent, () => Promise.reject(new Error('503')), {
        review: { waitMs: 0 },
        ...name,
      });
      await expect(failing).rejects.toThrow('503');
      expect(await guard({ review: { waitMs: 0 }, ...name })).toMatchObject({
        writes: 0,
        outcome: {
          executed: false,
          stopped: 'taken',
          decision: { decision_id: expect.stringMatching(/^dec_/) },
        },
      });
      expect(service.reviews).toHaveLength(1);
    },
  );

  it('waits for no review of a write that another run has done meanwhile', async () => {
    const named = { review: { waitMs: 0 }, callId: 'call-5' };
    await guard(named);
    service.resolve(service.reviews[0]!.id, 'approved');
    const late = clientWith(async (url, init) => {
      if (url.endsWith('/v1/reviews') && init.method === 'POST')
        expect(await guard(named)).toMatchObject({ writes: 1 });
      return globalThis.fetch(url, init);
    });
    const { writes, outcome } = await guard({ review: { waitMs: 60_000 }, callId: 'call-5' }, intent, late);
    expect(writes).toBe(0);
    expect(outcome).toMatchObject({ executed: false, stopped: 'taken' });
  });

  it('that waits learns that another run has taken the allow of its approval', async () => {
    const named = { review: { waitMs: 60_000 }, callId: 'call-6' };
    const waiting = clientWith(async (url, init) => {
      const isRead = /\/v1\/reviews\/rev_\w+$/.test(url);
      // The other run is faster between the approval and this run's next check.
      if (isRead && service.reviews[0]!.state === 'approved')
        expect(await guard({ ...named, review: { waitMs: 0 } })).toMatchObject({ writes: 1 });
      return globalThis.fetch(url, init);
    });
    const resolved = resolveLater('approved');
    const { writes, outcome } = await guard(named, intent, waiting);
    await resolved;
    expect(writes).toBe(0);
    expect(outcome).toMatchObject({ executed: false, stopped: 'taken' });
  });

  it('runs once for four runs at the same time, each with fresh evidence', async () => {
    const review = { waitMs: 0 };
    const fresh = () => ({
      ...intent,
      controlEvidence: [{ controlId: 'scan', source: 's', result: 'PASS', evidenceRef: crypto.randomUUID() }],
    });
    await guard({ review, callId: 'call-4' }, fresh());
    service.resolve(service.reviews[0]!.id, 'approved');
    const runs = await Promise.all(
      Array.from({ length: 4 }, () => guard({ review, callId: 'call-4' }, fresh())),
    );
    expect(runs.map(({ writes }) => writes).sort()).toEqual([0, 0, 0, 1]);
    const ran = runs.find(({ writes }) => writes === 1)!.outcome.decision.decision_id;
    for (const { writes, outcome } of runs)
      if (writes === 0) expect(outcome).toMatchObject({ stopped: 'taken', decision: { decision_id: ran } });
    expect(service.reviews).toHaveLength(1);
  });

  it('gets its allow again after the response was lost, if it is safe to repeat', async () => {
    const named = { review: { waitMs: 0 }, callId: 'call-1', once: false };
    await guard(named);
    service.resolve(service.reviews[0]!.id, 'approved');
    const losing = createClient({
      apiKey: 'k',
      baseUrl: service.baseUrl,
      retries: 0,
      fetch: async (url, init) => {
        const response = await globalThis.fetch(url, init);
        if (String(init.body).includes('urn:writecheck:review:')) throw new TypeError('fetch failed');
        return response;
      },
    });
    const lost = await guard(named, intent, losing);
    expect(lost).toMatchObject({
      writes: 0,
      outcome: { decision: { cause: { kind: 'connection_failed' } } },
    });
    expect(service.reviews[0]!.because).toBe('used');
    expect(await guard(named)).toMatchObject({ writes: 1 });
    expect(service.reviews).toHaveLength(1);
  });
});

describe('resumeWrite', () => {
  async function opened() {
    await guard({ review: { waitMs: 0 } });
    return service.reviews[0]!.id;
  }

  it('writes on the approval of a review that another process opened', async () => {
    const id = await opened();
    const resolved = resolveLater('approved', 200);
    const write = vi.fn(() => 'written');
    const outcome = await clientWith().resumeWrite(id, () => intent, write, { waitMs: 10_000 });
    await resolved;
    expect(outcome).toMatchObject({ executed: true, result: 'written', review: { id, state: 'approved' } });
    const again = await clientWith().resumeWrite(id, () => intent, write);
    expect(again).toMatchObject({ executed: false, cause: { kind: 'not_approved' } });
    expect(write).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['open', undefined, 'out_of_time'],
    ['rejected', 'rejected', 'rejected'],
    ['expired', 'expired', 'expired'],
    ['cancelled', 'cancelled', 'cancelled'],
  ] as const)('does not write while the review is %s', async (_, state, stopped) => {
    const id = await opened();
    if (state !== undefined) service.resolve(id, state);
    const write = vi.fn();
    const outcome = await clientWith().resumeWrite(id, intent, write);
    expect(outcome).toMatchObject({
      executed: false,
      stopped,
      decision: { origin: 'client', cause: { kind: 'not_approved' } },
    });
    expect(write).not.toHaveBeenCalled();
  });

  it('does not write another intent than the approved one', async () => {
    const id = await opened();
    service.resolve(id, 'approved');
    const write = vi.fn();
    const other = () => ({ ...intent, agentValue: 'evil@example.org' });
    expect(await clientWith().resumeWrite(id, other, write)).toMatchObject({
      stopped: 'changed_since_approval',
    });
    expect(write).not.toHaveBeenCalled();
    expect(asked()).toBe(1);
  });

  it.each(['rev_none', '', '../decisions', 'dec_1'])('does not write for the review %j', async (id) => {
    const write = vi.fn();
    expect(await clientWith().resumeWrite(id, intent, write)).toMatchObject({ executed: false });
    expect(write).not.toHaveBeenCalled();
  });

  it('gives a named call that is safe to repeat its allow again after the write failed', async () => {
    const id = await opened();
    service.resolve(id, 'approved');
    const failing = clientWith().resumeWrite(id, intent, () => Promise.reject(new Error('full')), {
      callId: 'c',
      once: false,
    });
    await expect(failing).rejects.toThrow('full');
    const write = vi.fn();
    await clientWith().resumeWrite(id, intent, write, { callId: 'd', once: false });
    expect(write).not.toHaveBeenCalled();
    await clientWith().resumeWrite(id, intent, write, { callId: 'c', once: false });
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('writes once for two processes that resume the same call after its guard was paused', async () => {
    await guard({ review: { waitMs: 0 }, callId: 'c' });
    const { id } = service.reviews[0]!;
    service.resolve(id, 'approved');
    const write = vi.fn();
    const first = await clientWith().resumeWrite(id, intent, write, { callId: 'c' });
    const second = await clientWith().resumeWrite(id, intent, write, { callId: 'c' });
    expect(write).toHaveBeenCalledTimes(1);
    expect(first.executed).toBe(true);
    expect(second).toMatchObject({
      executed: false,
      stopped: 'taken',
      decision: { decision_id: first.decision.decision_id },
    });
  });
});
