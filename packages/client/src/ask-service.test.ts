import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { askService } from './ask-service.ts';
import type { Fetch } from './platform.ts';

const request = {
  url: 'http://x',
  headers: { 'idempotency-key': 'k' },
  body: '{}',
  expects: 'a decision',
  maxAnswerBytes: 1000,
};
function ok() {
  return new Response('{}', { headers: { 'content-type': 'application/json' } });
}
function status(code: number, headers: Record<string, string> = {}) {
  return new Response('', { status: code, headers });
}
const hang: Fetch = (_url, { signal }) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

/** A fetch that returns these in turn, and then repeats the last one. */
function inTurn(...turns: (Response | Error | Fetch)[]) {
  const sentAtMs: number[] = [];
  const signals: AbortSignal[] = [];
  const fetch: Fetch = async (url, init) => {
    sentAtMs.push(performance.now());
    signals.push(init.signal as AbortSignal);
    expect([url, init.body, init.headers]).toEqual([request.url, request.body, request.headers]);
    const turn = turns.length > 1 ? turns.shift()! : turns[0]!;
    if (turn instanceof Error) throw turn;
    return typeof turn === 'function' ? turn(url, init) : turn.clone();
  };
  return { fetch, sentAtMs, signals };
}
const lost = new TypeError('fetch failed');
const limits = { timeoutMs: 1000, retries: 3 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Advances time until the promise is settled, and returns how long that took. */
async function running<T>(promise: Promise<T>): Promise<{ value: T; tookMs: number }> {
  const startMs = performance.now();
  let settled = false;
  void promise.finally(() => {
    settled = true;
  });
  while (!settled) await vi.advanceTimersByTimeAsync(1);
  return { value: await promise, tookMs: performance.now() - startMs };
}

describe('retries', () => {
  it('repeat the same request until there is a response', async () => {
    const { fetch, sentAtMs } = inTurn(lost, status(503), lost, ok());
    const { value } = await running(askService(fetch, request, limits));
    expect(value).toMatchObject({ kind: 'answered', answer: { text: '{}' } });
    expect(value).toMatchObject({ sentAtMs: sentAtMs[0] });
    expect(sentAtMs).toHaveLength(4);
  });

  it('end when they are used up', async () => {
    const { fetch, sentAtMs } = inTurn(lost);
    const { value } = await running(askService(fetch, request, limits));
    expect(value).toMatchObject({ kind: 'unanswered', cause: { kind: 'connection_failed' } });
    expect(sentAtMs).toHaveLength(4);
  });

  it('may be switched off', async () => {
    const { fetch, sentAtMs } = inTurn(lost, ok());
    const { value } = await running(askService(fetch, request, { ...limits, retries: 0 }));
    expect(value).toMatchObject({ kind: 'unanswered' });
    expect(sentAtMs).toHaveLength(1);
  });

  it('are not made if the result would be the same', async () => {
    const { fetch, sentAtMs } = inTurn(status(400), ok());
    const { value } = await running(askService(fetch, request, limits));
    expect(value).toMatchObject({ kind: 'unanswered', cause: { kind: 'refused', status: 400 } });
    expect(sentAtMs).toHaveLength(1);
  });

  it('wait longer each time, at random', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { fetch, sentAtMs } = inTurn(lost);
    await running(askService(fetch, request, limits));
    expect(sentAtMs.map((at) => at - sentAtMs[0]!)).toEqual([0, 25, 75, 175]);
  });

  it('wait as long as the service says, and slightly longer', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.2);
    const { fetch, sentAtMs } = inTurn(status(503, { 'retry-after': '1' }), ok());
    await running(askService(fetch, request, { ...limits, timeoutMs: 2000 }));
    expect(sentAtMs[1]! - sentAtMs[0]!).toBe(1010);
  });

  it('are given up immediately if the wait would outlast the deadline', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { fetch, sentAtMs } = inTurn(status(429, { 'retry-after': '1' }), ok());
    const { value, tookMs } = await running(askService(fetch, request, limits));
    expect(value).toMatchObject({ kind: 'unanswered', cause: { kind: 'refused', status: 429 } });
    expect(sentAtMs).toHaveLength(1);
    expect(tookMs).toBeLessThan(10);
  });

  it('count from the first sending, since they may return the decision made then', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { fetch, sentAtMs } = inTurn(lost, ok());
    const { value } = await running(askService(fetch, request, limits));
    expect(sentAtMs[1]).toBeGreaterThan(sentAtMs[0]!);
    expect(value).toMatchObject({ sentAtMs: sentAtMs[0] });
  });
});

describe('the deadline', () => {
  it('ends a hanging attempt and hangs up', async () => {
    const { fetch, signals } = inTurn(hang);
    const { value, tookMs } = await running(askService(fetch, request, limits));
    expect(value).toEqual({
      kind: 'unanswered',
      cause: { kind: 'timeout', message: 'the service did not respond within 1000 ms' },
    });
    expect(tookMs).toBe(1000);
    expect(signals[0]?.aborted).toBe(true);
  });

  it('holds for a fetch that ignores its signal', async () => {
    const { fetch } = inTurn(() => new Promise(() => {}));
    const { value, tookMs } = await running(askService(fetch, request, limits));
    expect(value).toMatchObject({ cause: { kind: 'timeout' } });
    expect(tookMs).toBe(1000);
  });

  it('covers the body', async () => {
    const { fetch } = inTurn(
      async () => new Response(new ReadableStream({}), { headers: { 'content-type': 'application/json' } }),
    );
    const { value, tookMs } = await running(askService(fetch, request, limits));
    expect(value).toMatchObject({ cause: { kind: 'timeout' } });
    expect(tookMs).toBe(1000);
  });

  it('covers all attempts together', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const slowly: Fetch = () => new Promise((_, reject) => setTimeout(reject, 400, lost));
    const { fetch, sentAtMs } = inTurn(slowly);
    const { value, tookMs } = await running(askService(fetch, request, limits));
    expect(value).toMatchObject({ cause: { kind: 'timeout' } });
    expect(tookMs).toBe(1000);
    expect(sentAtMs).toHaveLength(3);
  });

  it('is not passed by a response that a busy event loop delivered before the timer', async () => {
    const { fetch } = inTurn(async () => {
      const started = performance.now();
      vi.spyOn(performance, 'now').mockReturnValue(started + 1000);
      return ok();
    });
    const { value } = await running(askService(fetch, request, limits));
    expect(value).toMatchObject({
      kind: 'unanswered',
      cause: { kind: 'expired', message: 'the response came after 1000 ms' },
    });
  });

  it('leaves no timer behind and sends nothing more', async () => {
    const { fetch, sentAtMs } = inTurn(ok());
    await running(askService(fetch, request, limits));
    expect(vi.getTimerCount()).toBe(0);
    const slow = inTurn(() => new Promise((_, reject) => setTimeout(reject, 1500, lost)));
    await running(askService(slow.fetch, request, limits));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(slow.sentAtMs).toHaveLength(1);
    expect(sentAtMs).toHaveLength(1);
  });

  it('is met during a wait without another attempt', async () => {
    const abort = new AbortController();
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { fetch, sentAtMs } = inTurn(status(503, { 'retry-after': '0' }));
    const asked = askService(fetch, request, { ...limits, signal: abort.signal });
    await vi.advanceTimersByTimeAsync(5);
    abort.abort();
    expect((await running(asked)).value).toMatchObject({ cause: { kind: 'aborted' } });
    await vi.advanceTimersByTimeAsync(5000);
    expect(sentAtMs).toHaveLength(1);
  });
});

describe('an outage after a refusal stays a refusal', () => {
  it('if the deadline passes while the body of the refusal arrives', async () => {
    const { fetch } = inTurn(async () => new Response(new ReadableStream({}), { status: 403 }));
    const { value } = await running(askService(fetch, request, limits));
    expect(value).toMatchObject({ cause: { kind: 'refused', status: 403 } });
  });

  it('if a retry of it hangs', async () => {
    const { fetch, sentAtMs } = inTurn(status(429, { 'retry-after': '0' }), hang);
    const { value } = await running(askService(fetch, request, limits));
    expect(sentAtMs).toHaveLength(2);
    expect(value).toMatchObject({ cause: { kind: 'refused', status: 429 } });
  });

  it('if a broken response is followed by a lost connection', async () => {
    const broken: Fetch = async () =>
      new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) }), {
        headers: { 'content-type': 'application/json' },
      });
    const { fetch } = inTurn(broken, lost);
    const { value } = await running(askService(fetch, request, limits));
    expect(value).toMatchObject({ cause: { kind: 'invalid_answer' } });
  });

  it('but a response replaces it', async () => {
    const { fetch } = inTurn(status(429, { 'retry-after': '0' }), ok());
    const { value } = await running(askService(fetch, request, limits));
    expect(value).toMatchObject({ kind: 'answered' });
  });
});

describe('an abort', () => {
  it('before the call sends nothing', async () => {
    const { fetch, sentAtMs } = inTurn(ok());
    const { value } = await running(askService(fetch, request, { ...limits, signal: AbortSignal.abort() }));
    expect(value).toEqual({
      kind: 'unanswered',
      cause: { kind: 'aborted', message: 'the caller aborted the check' },
    });
    expect(sentAtMs).toHaveLength(0);
  });

  it('during the call ends it immediately and hangs up', async () => {
    const abort = new AbortController();
    const { fetch, signals } = inTurn(hang);
    setTimeout(() => abort.abort(), 100);
    const { value, tookMs } = await running(askService(fetch, request, { ...limits, signal: abort.signal }));
    expect(value).toMatchObject({ cause: { kind: 'aborted' } });
    expect(tookMs).toBe(100);
    expect(signals[0]?.aborted).toBe(true);
  });

  it('wins over a response that came in the same moment, and over a refusal', async () => {
    const abort = new AbortController();
    const { fetch } = inTurn(async () => {
      abort.abort();
      return ok();
    });
    const { value } = await running(askService(fetch, request, { ...limits, signal: abort.signal }));
    expect(value).toMatchObject({ cause: { kind: 'aborted' } });
  });

  it('after a refusal is an abort', async () => {
    const abort = new AbortController();
    const { fetch } = inTurn(status(429, { 'retry-after': '0' }), hang);
    setTimeout(() => abort.abort(), 200);
    const { value } = await running(askService(fetch, request, { ...limits, signal: abort.signal }));
    expect(value).toEqual({
      kind: 'unanswered',
      cause: { kind: 'aborted', message: 'the caller aborted the check' },
    });
  });

  it('leaves no listener on the caller’s signal', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await running(askService(inTurn(ok()).fetch, request, { ...limits, signal }));
    expect(added).toHaveBeenCalledOnce();
    expect(removed.mock.calls).toEqual([added.mock.calls[0]!.slice(0, 2)]);
  });
});
