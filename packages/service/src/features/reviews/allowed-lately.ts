/** The recent allows of the write under review: its reviewer must see that this very write ran minutes ago. */
import type { Review as ApiReview } from '@writecheck/api';
import { DAY_MS, isoTime } from '@writecheck/contract';
import { readRecord, recordedIntent } from '@writecheck/ledger/log';
import { likenessOf } from './like-writes.ts';
import type { Review } from './review.ts';
import type { ReviewParts } from './review-parts.ts';

/** Limits how many allows for the object are read, newest first. */
const LOOKED_AT = 20;

/** Newest first. The same write is one of the same digest, or of the same system, object, field and value. */
export async function allowedLately(
  { store }: Pick<ReviewParts, 'store'>,
  { write }: Review,
  nowMs: number,
): Promise<NonNullable<ApiReview['allowedLately']>> {
  const { workspace, system, objectRef } = write;
  const page = await store.listDecisions({
    workspace,
    system,
    decision: 'allow',
    fromMs: nowMs - DAY_MS,
    limit: LOOKED_AT,
    ...(objectRef !== null && { objectRef }),
  });
  if (page.kind === 'bad_cursor') return [];
  const ids = page.decisions.map(({ decisionId }) => decisionId);
  const records = await Promise.all(ids.map((id) => store.findDecision(workspace, id)));
  const same = page.decisions.filter((_, i) => {
    const record = records[i]?.record;
    if (record === undefined) return false;
    if (readRecord(record).intentDigest === write.intentDigest) return true;
    return likenessOf(recordedIntent(record)) === write.likeness;
  });
  if (same.length === 0) return [];
  const redeemed = await store.redemptionTimes(workspace, ids);
  return same.map(({ decisionId, timestamp }) => {
    const redemption = redeemed.find((each) => each.decisionId === decisionId);
    return {
      decisionId,
      at: timestamp,
      redeemedAt: redemption === undefined ? null : isoTime(redemption.atMs),
    };
  });
}
