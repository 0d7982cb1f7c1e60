/** The interface to used-up and revoked attestations. */
import type { ConsumedAttestation } from '@writecheck/contract';

export interface AttestationState extends ConsumedAttestation {
  readonly usedUp: boolean;
  readonly revoked: boolean;
}
