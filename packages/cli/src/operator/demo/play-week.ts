/** Plays the made-up week through the API in order of time: checks, outcomes, reviews and signed verdicts. */
import { randomUUID } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@writecheck/contract';
import type { Reviewer } from './demo-reviewers.ts';
import type { DemoReview, Send } from './send.ts';
import { checkedAgain, type DemoIntent, filledIn, policiesWith, seeded, WEEK } from './week.ts';

const DAYS = 7;
/** Reviews opened after this stay open for the person who opens the demo. */
const LEFT_OPEN_MS = 3 * HOUR_MS;

/** A review that only a passkey may decide, and what the agent that asked for it sends. */
export interface Waiting {
  readonly key: string;
  readonly review: DemoReview;
  readonly intent: DemoIntent;
  readonly said: object;
}

interface Played {
  readonly send: Send;
  readonly ownerKey: string;
  readonly clock: { nowMs: number };
  /** The time at which the clock ends. */
  readonly endMs: number;
  /** Called at the beginning of the week. */
  readonly reviewersJoin: () => Promise<readonly Reviewer[]>;
  /** Which part of the ordinary writes to play. */
  readonly share: number;
}

/** Resolves with what waits for a passkey at its end. */
export async function playWeek(played: Played): Promise<readonly Waiting[]> {
  const { send, ownerKey, clock, endMs, reviewersJoin, share } = played;
  const random = seeded(20_261_118);
  const events: { readonly atMs: number; readonly act: () => Promise<void> }[] = [];
  const keys = new Map<string, string>();
  const waiting: Waiting[] = [];
  let reviewers: readonly Reviewer[] = [];
  let allows = 0;
  const at = (atMs: number, act: () => Promise<void>) => {
    if (atMs < endMs) events.push({ atMs, act });
  };

  const ask = async ({ agent, ...write }: (typeof WEEK.writes)[number]) => {
    const key = keys.get(agent)!;
    const intent = filledIn(write.intent, random, clock.nowMs);
    const decided = await check(intent, key);
    if (decided.review === undefined || write.ask === undefined) return;
    const said = { ...write.ask, onBehalfOf: intent.metadata!.context.requestedBy };
    const { review } = await send('POST /v1/reviews', key, { decision_id: decided.decision_id, ...said });
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
  const check = async (intent: DemoIntent, key: string) => {
    const headers = { 'idempotency-key': randomUUID(), redeem: randomUUID() };
    const decided = await send('POST /v1/check-write', key, intent, headers);
    if (decided.decision !== 'allow') return decided;
    allows += 1;
    const outcome = outcomeOf(allows);
    if (outcome !== null)
      at(clock.nowMs + (1 + random() * 20) * 1_000, async () => {
        await send(`POST /v1/decisions/${decided.decision_id}/outcome`, key, outcome);
      });
    return decided;
  };
  const decide = async (review: DemoReview, key: string, intent: DemoIntent) => {
    const isGood = random() < 0.85;
    const comment = isGood ? 'Checked with the requester.' : 'The requester knows nothing about it.';
    await reviewers[random() < 0.6 ? 0 : 1]!.decide(review, isGood ? 'approve' : 'reject', comment);
    if (!isGood) return;
    at(clock.nowMs + MINUTE_MS, async () => {
      const again = checkedAgain(intent, clock.nowMs);
      const evidenceRef = `urn:writecheck:review:${review.id}`;
      const approved = review.controls.map(({ controlId }) => {
        return { controlId, source: 'review-desk', result: 'PASS', evidenceRef };
      });
      await check({ ...again, controlEvidence: [...again.controlEvidence!, ...approved] }, key);
    });
  };
  const apply = (identityAge: string, message: string) =>
    send(`PUT /v1/policies?message=${encodeURIComponent(message)}`, ownerKey, {
      documents: policiesWith(identityAge),
    });

  const startMs = endMs - DAYS * DAY_MS;
  at(startMs - HOUR_MS, async () => {
    await apply('15m', 'first rules for the agents of finance');
    for (const name of WEEK.agents)
      keys.set(name, (await send('POST /v1/keys', ownerKey, { kind: 'live', name })).secret!);
    reviewers = await reviewersJoin();
  });
  at(endMs - 3 * DAY_MS, async () => {
    await apply('10m', 'identity checks count for ten minutes only');
  });
  for (const write of WEEK.writes) {
    for (const minutes of write.minutesAgo ?? []) at(endMs - minutes * MINUTE_MS, () => ask(write));
    for (let day = 0; day < DAYS; day += 1) {
      const dayMs = startMs + day * DAY_MS;
      const isWeekend = [0, 6].includes(new Date(dayMs).getUTCDay());
      // Two draws make the middle of a day busier than its ends.
      for (let left = ((write.aDay ?? 0) * share) / (isWeekend ? 5 : 1); left > random(); left -= 1)
        at(dayMs + ((random() + random()) / 2) * DAY_MS, () => ask(write));
    }
  }

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
function outcomeOf(nth: number): object | null {
  if (nth === 9) return { result: 'unknown', note: 'The system did not respond in time.' };
  if (nth % 37 === 7) return null;
  if (nth % 23 === 5) return { result: 'failed', note: 'The system refused: the record is locked.' };
  return { result: 'done' };
}
