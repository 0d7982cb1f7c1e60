/** The agent's side with a reviewer: pauses, waits for the approval, then sends intent and receipt to the gateway. */
import type { AllowDecision, Client, GuardOutcome, WriteIntent } from '@writecheck/client';

export interface GatewayRequest {
  readonly intent: WriteIntent;
  readonly receipt: unknown;
}

/** `send` is reached only with a valid allow. The gateway trusts only the receipt. */
export function writeAfterReview<T>(
  client: Client,
  intent: WriteIntent,
  send: (request: GatewayRequest) => Promise<T>,
): Promise<GuardOutcome<T>> {
  return client.guardWrite(
    // Called again after the approval, so that evidence is fresh. If the write has changed by then, no second
    // check is sent.
    () => intent,
    (decision) => send({ intent, receipt: (decision as AllowDecision).receipt }),
    // The gateway redeems the allow, so the client leaves it for the gateway.
    { receipt: true, once: false, review: { waitMs: 60_000, justification: 'the contract was renewed' } },
  );
}
