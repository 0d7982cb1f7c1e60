/** Lets the agents of the demo ask again for what waits, once the visitor has joined. */
import { setTimeout } from 'node:timers/promises';
import { MINUTE_MS } from '@writecheck/contract';
import type { DemoWrite } from './demo-writes.ts';
import { type DemoReview, sendTo } from './send.ts';

/** A review that only a passkey may decide, and the key of the agent that asked for it. */
export interface Waiting {
  readonly key: string;
  readonly review: DemoReview;
  readonly intent: DemoWrite['intent'];
  readonly said: object;
}

export interface Visitor {
  readonly ownerKey: string;
  readonly visitorId: string;
  /** Oldest first. */
  readonly waiting: readonly Waiting[];
}

const LOOK_EVERY_MS = 500;

/**
 * A passkey decides only reviews that were opened after it was registered, and the week was made up before. Ends with
 * the service; doing nothing leaves the reviews as they are.
 */
export async function askAgainOnceJoined(
  { ownerKey, visitorId, waiting }: Visitor,
  url: string,
): Promise<void> {
  while (!(await hasJoined(ownerKey, visitorId, url))) await setTimeout(LOOK_EVERY_MS, null, { ref: false });
  const send = sendTo(url);
  for (const { key, review, intent, said } of waiting)
    try {
      // Refused if somebody has decided it meanwhile.
      await send(`/v1/reviews/${review.id}/cancel`, { reason: 'I ask again.' }, key);
      const { decision_id } = await send('/v1/check-write', checkedNow(intent, Date.now()), key);
      await send('/v1/reviews', { decision_id, ...said }, key);
    } catch {}
}

async function hasJoined(ownerKey: string, visitorId: string, url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/people`, { headers: { authorization: `Bearer ${ownerKey}` } });
    const { people } = (await response.json()) as {
      readonly people: readonly { readonly id: string; readonly state: string }[];
    };
    return people.some(({ id, state }) => id === visitorId && state === 'active');
  } catch {
    // The service is stopping, or the key was revoked.
    return false;
  }
}

/** The same write with its checks made again. */
export function checkedNow(intent: DemoWrite['intent'], nowMs: number): DemoWrite['intent'] {
  const checkedAt = new Date(nowMs - MINUTE_MS).toISOString();
  const controlEvidence = (intent.controlEvidence as readonly object[]).map((item) => ({
    ...item,
    checkedAt,
  }));
  return { ...intent, controlEvidence };
}
