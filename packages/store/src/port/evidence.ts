/** Which attestations are used up or revoked. */
import type { ConsumedAttestation } from '@writecheck/contract';

export interface AttestationState extends ConsumedAttestation {
  readonly usedUp: boolean;
  readonly revoked: boolean;
}
