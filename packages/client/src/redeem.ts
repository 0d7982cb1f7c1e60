/** Uses up an allow, for the side that executes the write. */
import { callService } from './call-service.ts';
import type { Unanswered } from './decision-types.ts';
import { findDenial } from './judge-answer.ts';
import { unanswered } from './local-decision.ts';
import { own } from './own.ts';
import type { AbortSignalLike } from './platform.ts';
import type { Settings } from './settings.ts';
import { randomKey } from './snapshot-intent.ts';

/** An allow to redeem, such as the decision of a check or the leaf of a verified receipt. */
export interface RedeemableDecision {
  readonly decision_id?: string;
  readonly intentDigest?: string;
}

export interface RedeemOptions {
  /** Gets the same response again after a crash or a lost response; it belongs to one decision. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignalLike | undefined;
}

export type RedeemAnswer =
  | { readonly kind: 'redeemed'; readonly redeemedAt: string }
  /** `cause.code` is `already_redeemed` or `not_redeemable` if the service said so. */
  | Unanswered;

export async function redeem(
  settings: Settings,
  { decision_id: id, intentDigest }: RedeemableDecision,
  { idempotencyKey, signal }: RedeemOptions,
): Promise<RedeemAnswer> {
  if (!isDecisionId(id) || typeof intentDigest !== 'string')
    return unanswered('client_fault', 'a decision is redeemed by its `decision_id` and `intentDigest`');
  const called = await callService(settings, {
    path: `/v1/decisions/${id}/redeem`,
    body: JSON.stringify({ intentDigest }),
    expects: 'a redemption',
    // A key for this call alone: a retry after a lost response must not find the decision redeemed by another call.
    idempotencyKey: idempotencyKey ?? randomKey(),
    signal,
  });
  if (called.kind === 'unanswered') return called;
  const redeemedAt = own(called.value, 'redeemedAt');
  if (own(called.value, 'redeemed') !== true || typeof redeemedAt !== 'string')
    return unanswered('invalid_answer', 'the response is not a redemption: it does not say so');
  const fault = findDenial(called.value);
  return fault === undefined
    ? { kind: 'redeemed', redeemedAt }
    : unanswered('invalid_answer', `the response is not a redemption: ${fault}`);
}

export function isDecisionId(id: unknown): id is string {
  return typeof id === 'string' && /^\w{1,64}$/.test(id);
}
