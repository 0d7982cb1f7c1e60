/** Plays a made-up week over HTTP, in order of time: checks, outcomes, reviews, signed verdicts and two attacks. */
import { randomUUID } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@writecheck/contract';
import { checkedNow, type Waiting } from './ask-again.ts';
import { demoPolicies } from './demo-policies.ts';
import type { Reviewer } from './demo-reviewers.ts';
import {
  AGENTS,
  conflictingWrite,
  type DemoWrite,
  fraudWrite,
  injectedWrite,
  lookAlikeWrite,
  ordinaryWrite,
  seeded,
  staleWrite,
  VENDOR_IBAN,
} from './demo-writes.ts';
import type { DemoReview, Send } from './send.ts';

const DAYS = 7;
const WRITES_A_WORKDAY = 48;
/** Reviews opened after this stay open for the person who opens the demo. */
const LEFT_OPEN_MS = 3 * HOUR_MS;

export interface DemoClock {
  nowMs: number;
}

interface Event {
  readonly atMs: number;
  readonly act: () => Promise<void>;
}

export interface Week {
  readonly send: Send;
  readonly ownerKey: string;
  readonly clock: DemoClock;
  /** The time at which the clock ends. */
  readonly endMs: number;
  /** Called at the beginning of the week. */
  readonly reviewersJoin: () => Promise<readonly Reviewer[]>;
  readonly writesAWorkday: number | undefined;
}

/** Resolves with what waits for a passkey at its end. */
export async function liveDemoWeek({
  send,
  ownerKey,
  clock,
  endMs,
  reviewersJoin,
  writesAWorkday = WRITES_A_WORKDAY,
}: Week): Promise<readonly Waiting[]> {
  const random = seeded(20_261_118);
  const events: Event[] = [];
  const keys = new Map<string, string>();
  const waiting: Waiting[] = [];
  let reviewers: readonly Reviewer[] = [];
  let allows = 0;
  const at = (atMs: number, act: Event['act']) => {
    if (atMs < endMs) events.push({ atMs, act });
  };

  const ask = async ({ agent, intent, ask: said }: DemoWrite) => {
    const key = keys.get(agent)!;
    const decided = await write(intent, key);
    if (decided.review === undefined || said === undefined) return;
    const { review } = await send('/v1/reviews', { decision_id: decided.decision_id, ...said }, key);
    if (review === undefined) return;
    if (clock.nowMs > endMs - LEFT_OPEN_MS) {
      if (review.controls.some(({ identity }) => identity === 'passkey'))
        waiting.push({ key, review, intent, said });
      return;
    }
    // One in ten waits until it expires.
    if (random() < 0.1) return;
    at(clock.nowMs + (4 + random() * 80) * MINUTE_MS, () => decide(review, key, intent));
  };
  /** As a guard does: the commit that allows the write also takes the allow, then the agent writes and reports. */
  const write = async (intent: DemoWrite['intent'], key: string) => {
    const headers = { 'idempotency-key': randomUUID(), redeem: randomUUID() };
    const decided = await send('/v1/check-write', intent, key, { headers });
    if (decided.decision !== 'allow') return decided;
    allows += 1;
    const ended = endOf(allows);
    if (ended !== null)
      at(clock.nowMs + (1 + random() * 20) * 1_000, async () => {
        await send(`/v1/decisions/${decided.decision_id}/outcome`, ended, key);
      });
    return decided;
  };
  const decide = async (review: DemoReview, key: string, intent: DemoWrite['intent']) => {
    const { id, controls } = review;
    const isGood = random() < 0.85;
    const verdict = isGood ? 'approve' : 'reject';
    const comment = isGood ? 'Checked with the requester.' : 'The requester knows nothing about it.';
    await reviewers[random() < 0.6 ? 0 : 1]!.decide(review, verdict, comment);
    if (!isGood) return;
    at(clock.nowMs + MINUTE_MS, async () => {
      const again = checkedNow(intent, clock.nowMs);
      const own = again.controlEvidence as readonly object[];
      const approved = controls.map(({ controlId }) => ({
        controlId,
        source: 'review-desk',
        result: 'PASS',
        evidenceRef: `urn:writecheck:review:${id}`,
      }));
      await write({ ...again, controlEvidence: [...own, ...approved] }, key);
    });
  };

  const startMs = endMs - DAYS * DAY_MS;
  const policies = (age: string, message: string) => async () => {
    const path = `/v1/policies?message=${encodeURIComponent(message)}`;
    await send(path, { documents: demoPolicies(age) }, ownerKey, { method: 'PUT' });
  };
  at(startMs - HOUR_MS, async () => {
    await policies('15m', 'first rules for the agents of finance')();
    for (const name of AGENTS) {
      const made = await send('/v1/keys', { kind: 'live', name }, ownerKey);
      keys.set(name, made.secret!);
    }
    reviewers = await reviewersJoin();
  });
  at(endMs - 3 * DAY_MS, policies('10m', 'identity checks count for ten minutes only'));
  for (let day = 0; day < DAYS; day += 1) {
    const dayMs = startMs + day * DAY_MS;
    const isWeekend = [0, 6].includes(new Date(dayMs).getUTCDay());
    for (let count = isWeekend ? writesAWorkday / 5 : writesAWorkday; count > 0; count -= 1)
      // Two draws make the middle of a day busier than its ends.
      at(dayMs + ((random() + random()) / 2) * DAY_MS, () => ask(ordinaryWrite(random, clock.nowMs)));
  }
  for (let write = 0; write < 14; write += 1)
    at(endMs - 15 * HOUR_MS + write * MINUTE_MS, () => ask(staleWrite(write, clock.nowMs)));
  for (let write = 0; write < 5; write += 1)
    at(endMs - (160 - write * 22) * MINUTE_MS, () =>
      ask(openWrite(write % 2 === 0 ? 'ap-bot' : 'refund-bot', random, clock.nowMs)),
    );
  at(endMs - 4 * HOUR_MS, () => ask(fraudWrite(clock.nowMs)));
  const lookAlike = VENDOR_IBAN.replace('E', '\u0415');
  const { ask: _, ...unasked } = lookAlikeWrite(VENDOR_IBAN.replace('E', '\u0395'), endMs - 62 * MINUTE_MS);
  at(endMs - 62 * MINUTE_MS, () => ask(unasked));
  at(endMs - 51 * MINUTE_MS, () =>
    ask({ ...unasked, intent: lookAlikeWrite(lookAlike, clock.nowMs).intent }),
  );
  at(endMs - 34 * MINUTE_MS, () => ask(lookAlikeWrite(lookAlike, clock.nowMs)));
  at(endMs - 21 * MINUTE_MS, () => ask(injectedWrite(clock.nowMs)));
  at(endMs - 48 * MINUTE_MS, () => ask(conflictingWrite('DE12 5001 0517 0648 4898 90', clock.nowMs)));
  at(endMs - 17 * MINUTE_MS, () => ask(conflictingWrite('DE75 5121 0800 1245 1261 99', clock.nowMs)));

  // An event may add later ones.
  while (events.length > 0) {
    events.sort((a, b) => b.atMs - a.atMs);
    const { atMs, act } = events.pop()!;
    clock.nowMs = Math.max(clock.nowMs + 1, Math.floor(atMs));
    await act();
  }
  clock.nowMs = Math.max(clock.nowMs + 1, endMs);
  return waiting;
}

/** What an agent reports of its nth write: nearly always that it happened. Null if it reports nothing. */
function endOf(nth: number): object | null {
  if (nth === 9) return { result: 'unknown', note: 'The system did not respond in time.' };
  if (nth % 37 === 7) return null;
  if (nth % 23 === 5) return { result: 'failed', note: 'The system refused: the record is locked.' };
  return { result: 'done' };
}

/** A write that a person has to decide: bank details of `ap-bot`, or a large refund. */
function openWrite(agent: 'ap-bot' | 'refund-bot', random: () => number, nowMs: number): DemoWrite {
  for (;;) {
    const write = ordinaryWrite(random, nowMs);
    const { context } = (write.intent.metadata ?? {}) as { readonly context?: { readonly amount: number } };
    if (write.agent === agent && (agent === 'ap-bot' || context!.amount > 500)) return write;
  }
}
