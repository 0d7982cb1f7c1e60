/** Lets the agents of the demo ask again for what waits, once the visitor has joined. */
import { setTimeout } from 'node:timers/promises';
import type { Waiting } from './play-week.ts';
import { type Send, sendTo } from './send.ts';
import { checkedAgain } from './week.ts';

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
export async function askAgainOnceJoined(visitor: Visitor, url: string): Promise<void> {
  const send = sendTo(url);
  while (!(await hasJoined(visitor, send))) await setTimeout(LOOK_EVERY_MS, null, { ref: false });
  for (const { key, review, intent, said } of visitor.waiting)
    try {
      // Refused if somebody has decided it meanwhile.
      await send(`POST /v1/reviews/${review.id}/cancel`, key, { reason: 'I ask again.' });
      const { decision_id } = await send('POST /v1/check-write', key, checkedAgain(intent, Date.now()));
      await send('POST /v1/reviews', key, { decision_id, ...said });
    } catch {}
}

async function hasJoined({ ownerKey, visitorId }: Visitor, send: Send): Promise<boolean> {
  try {
    const { people } = await send('GET /v1/people', ownerKey);
    return people!.some(({ id, state }) => id === visitorId && state === 'active');
  } catch {
    // The service is stopping, or the key was revoked.
    return false;
  }
}
