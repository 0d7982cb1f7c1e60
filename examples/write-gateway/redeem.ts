/** Uses an allow up at the service. Anything but a clear yes is a no. */

export interface Redemption {
  readonly url: string;
  readonly apiKey: string;
  /** Names this gateway and its database. Two gateways with one name could each carry out the same decision. */
  readonly gateway: string;
}

export type RedeemRefusal = 'already_redeemed' | 'not_redeemable' | 'redeem_refused' | 'redeem_failed';

export type Redeemed =
  | { readonly kind: 'redeemed' }
  | { readonly kind: 'refused'; readonly reason: RedeemRefusal; readonly message: string };

const TIMEOUT_MS = 5000;

const refuse = (reason: RedeemRefusal, message: string): Redeemed => ({ kind: 'refused', reason, message });

export async function redeem(at: Redemption, decisionId: string, intentDigest: string): Promise<Redeemed> {
  try {
    const response = await fetch(`${at.url}/v1/decisions/${decisionId}/redeem`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${at.apiKey}`,
        'content-type': 'application/json',
        // The same after a crash, so that a redeemed decision can still be carried out by the gateway that redeemed it.
        'idempotency-key': `${at.gateway}/${decisionId}`,
      },
      body: JSON.stringify({ intentDigest }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = (await response.json()) as {
      readonly redeemed?: unknown;
      readonly error?: { readonly code?: unknown; readonly message?: unknown };
    };
    if (response.status === 200 && body.redeemed === true) return { kind: 'redeemed' };
    const { code, message } = body.error ?? {};
    const known = code === 'already_redeemed' || code === 'not_redeemable' ? code : 'redeem_refused';
    return refuse(response.status >= 500 ? 'redeem_failed' : known, String(message ?? response.status));
  } catch {
    return refuse('redeem_failed', 'the service could not be asked; nothing was written');
  }
}
