/** Uses up an allow at the service. Anything except a clear yes is a no. */
import type { Client } from '@writecheck/client';

export interface Redemption {
  readonly client: Client;
  /** Names this gateway and its database. Two gateways with one name could each carry out the same decision. */
  readonly gateway: string;
}

export type RedeemRefusal = 'already_redeemed' | 'not_redeemable' | 'redeem_refused' | 'redeem_failed';

export type Redeemed =
  | { readonly kind: 'redeemed' }
  | { readonly kind: 'refused'; readonly reason: RedeemRefusal; readonly message: string };

export async function redeem(at: Redemption, decisionId: string, intentDigest: string): Promise<Redeemed> {
  const answer = await at.client.redeem(
    { decision_id: decisionId, intentDigest },
    // The same after a crash, so that a redeemed decision can still be carried out by the gateway that redeemed it.
    { idempotencyKey: `${at.gateway}/${decisionId}` },
  );
  if (answer.kind === 'redeemed') return { kind: 'redeemed' };
  const { kind, code, message } = answer.cause;
  const known = code === 'already_redeemed' || code === 'not_redeemable' ? code : 'redeem_refused';
  return { kind: 'refused', reason: kind === 'refused' ? known : 'redeem_failed', message };
}
