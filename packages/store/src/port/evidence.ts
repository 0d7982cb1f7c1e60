/** Which attestations are used up or revoked. */
import type { ConsumedAttestation } from '@writecheck/contract';
import type { Acting } from './acting.ts';

export interface AttestationState extends ConsumedAttestation {
  readonly usedUp: boolean;
  readonly revoked: boolean;
}

export interface Evidence {
  /** One state per item, in order. */
  attestationStates(
    workspace: string,
    items: readonly ConsumedAttestation[],
  ): Promise<readonly AttestationState[]>;
  /**
   * Resolves with the time of the first revocation: revoking twice changes nothing. Without an author it has no log
   * entry, for a restore, which ends the log.
   */
  revokeAttestation(
    workspace: string,
    item: ConsumedAttestation,
    nowMs: number,
    by: Acting | null,
  ): Promise<number>;
}
