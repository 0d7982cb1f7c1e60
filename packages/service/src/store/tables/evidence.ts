/** Which attestations are used up or revoked. */
import type { ConsumedAttestation } from '@writecheck/contract';
import { insertion, sql, type Write } from './operation.ts';

/** Revoking twice changes nothing. */
export function* revoke(workspace: string, { source, jti }: ConsumedAttestation, nowMs: number): Write<void> {
  const row = { workspace, source, jti: { compared: jti }, revoked_ms: nowMs };
  yield* sql`INSERT INTO writecheck.revoked_attestation ${insertion(row)} ON CONFLICT DO NOTHING`;
}
