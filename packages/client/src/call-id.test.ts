import type { WriteIntent } from '@writecheck/contract';
import { describe, expect, it, vi } from 'vitest';
import { allowFor } from '../../../conformance/client-kit/index.ts';
import { createClient } from './create-client.ts';
import { isLocalDecision } from './local-decision.ts';

const intent: WriteIntent = { system: 'crm', operation: 'contact.update' };
const STOPS = { pause: 'CONTROL_EVIDENCE_MISSING', block: 'CONTROL_FAILED' } as const;

type Answer = 'allow' | 'pause' | 'block' | 'expired' | 'silent' | 503;

/** A service that stores its responses by key, as the real one does, and decides with the next of `answers`. */
function serviceWith(
  answers: Answer[],
  options: { readonly timeoutMs?: number; readonly expiredAfterMs?: number } = {},
) {
  const stored = new Map<string, Answer>();
  const keys: string[] = [];
  const client = createClient({
    apiKey: 'wck_dev_test',
    baseUrl: 'https://writecheck.example',
    retries: 0,
    timeoutMs: options.timeoutMs ?? 10_000,
    fetch: async (_url, init) => {
      const key = (init.headers as Record<string, string>)['idempotency-key']!;
      keys.push(key);
      const replayed = stored.has(key);
      const answer = stored.get(key) ?? answers.shift()!;
      if (answer === 'silent') return new Promise<Response>(() => {});
      if (answer === 503) return respond({ error: { code: 'overloaded', message: 'later' } }, 503);
      stored.set(key, answer);
      if (answer === 'expired' && replayed) {
        await new Promise((resolve) => setTimeout(resolve, options.expiredAfterMs ?? 0));
        return respond({ error: { code: 'idempotency_key_expired', message: 'ask again' } }, 409);
      }
      const allow = allowFor(String(init.body), init.headers);
      const stop =
        answer === 'pause' || answer === 'block'
          ? { decision: answer, allowed: false, reason_code: STOPS[answer], validUntil: undefined }
          : {};
      return respond({ ...allow, ...stop, decision_id: key }, 200, replayed);
    },
  });
  return { client, keys };
}

function respond(body: unknown, status: number, replayed = false): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      date: new Date().toUTCString(),
      ...(replayed ? { 'idempotency-replayed': 'true' } : {}),
    },
  });
}

const callId = 'call_1';

describe('a call with a name', () => {
  it('gets the same allow again when repeated', async () => {
    const { client, keys } = serviceWith(['allow']);
    const first = await client.checkWrite(intent, { callId });
    const again = await client.checkWrite(intent, { callId });
    expect(first).toMatchObject({ decision: 'allow', decision_id: keys[0] });
    expect(again).toMatchObject({ decision: 'allow', decision_id: keys[0] });
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it('shares no key with a call of another name, intent or evidence', async () => {
    const { client, keys } = serviceWith(['allow', 'allow', 'allow', 'allow']);
    const PASS = { controlId: 'approval', source: 'desk', result: 'PASS' } as const;
    await client.checkWrite(intent, { callId });
    await client.checkWrite(intent, { callId: 'call_2' });
    await client.checkWrite({ ...intent, operation: 'contact.delete' }, { callId });
    await client.checkWrite({ ...intent, controlEvidence: [PASS] }, { callId });
    expect(new Set(keys).size).toBe(4);
  });

  it.each(['pause', 'block', 'expired'] as const)('is decided again after a stored %s', async (stored) => {
    const { client } = serviceWith([stored, 'allow']);
    await client.checkWrite(intent, { callId });
    const later = await client.checkWrite(intent, { callId });
    expect(later.decision).toBe('allow');
    // A repeat gets that allow too.
    expect(await client.checkWrite(intent, { callId })).toMatchObject({
      decision: 'allow',
      decision_id: (later as { decision_id: string }).decision_id,
    });
  });

  it('is decided again however often it was paused', async () => {
    const answers: Answer[] = ['pause', 'pause', 'pause', 'pause', 'pause', 'pause', 'allow'];
    const { client, keys } = serviceWith(answers);
    const decided: string[] = [];
    for (let times = 0; times < 7; times++) {
      decided.push((await client.checkWrite(intent, { callId })).decision);
    }
    expect(decided).toEqual([...Array(6).fill('pause'), 'allow']);
    expect(keys.length).toBeLessThanOrEqual(4 * 7);
  });

  it.each(['silent', 503] as const)('stays paused when the service is down afterwards (%s)', async (down) => {
    const { client } = serviceWith(['pause', down], { timeoutMs: 2_000 });
    let ran = false;
    const run = () => {
      ran = true;
    };
    await client.guardWrite(intent, run, { callId });
    const outcome = await client.guardWrite(intent, run, { callId, unprotected: true });
    expect(ran).toBe(false);
    expect(outcome).toMatchObject({ executed: false, decision: { decision: 'pause' } });
  });

  it('has one deadline over all its requests', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const limits = { timeoutMs: 2_000, expiredAfterMs: 1_500 };
    const { client, keys } = serviceWith(['expired', 'silent'], limits);
    const asked = async (times: number) => {
      while (keys.length < times) await new Promise((resolve) => setImmediate(resolve));
    };
    await client.checkWrite(intent, { callId });
    const repeated = client.checkWrite(intent, { callId });
    await asked(2);
    await vi.advanceTimersByTimeAsync(1_500);
    await asked(3);
    // If it had its own deadline, the last request would wait until 3,500 ms, which never come.
    await vi.advanceTimersByTimeAsync(500);
    expect((await repeated).decision).toBe('block');
    vi.useRealTimers();
  });

  it.each(['', 7, null])('that is %j is refused before anything is sent', async (name) => {
    const { client, keys } = serviceWith(['allow']);
    const decision = await client.checkWrite(intent, { callId: name as string });
    expect(isLocalDecision(decision) && decision.cause.kind).toBe('client_fault');
    expect(keys).toEqual([]);
  });
});
