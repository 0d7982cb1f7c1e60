/** The tables of used-up and revoked attestations. */
import type { ConsumedAttestation } from '@writecheck/contract';
import { notedEntries } from '../commit/new-entries.ts';
import type { Acting } from '../port/acting.ts';
import type { AttestationState } from '../port/evidence.ts';
import { begin } from './acting.ts';
import { type Append, append, insertion, part, type Read, separated, sql, type Write } from './operation.ts';

export const TABLES = `
CREATE TABLE writecheck.consumed_attestation (
  workspace text NOT NULL,
  source text NOT NULL,
  jti compared NOT NULL,
  PRIMARY KEY (workspace, source, jti)
) WITHOUT ROWID;

CREATE TABLE writecheck.revoked_attestation (
  workspace text NOT NULL,
  source text NOT NULL,
  jti compared NOT NULL,
  revoked_ms bigint NOT NULL,
  PRIMARY KEY (workspace, source, jti)
) WITHOUT ROWID;
`;

/** False if it was revoked before: revoking twice changes nothing. */
export function* revoke(
  workspace: string,
  { source, jti }: ConsumedAttestation,
  nowMs: number,
): Write<boolean> {
  const row = { workspace, source, jti: { compared: jti }, revoked_ms: nowMs };
  const revoked =
    yield* sql`INSERT INTO writecheck.revoked_attestation ${insertion(row)} ON CONFLICT DO NOTHING RETURNING 1`;
  return revoked.length === 1;
}

/**
 * Resolves with the time of the first revocation: revoking twice changes nothing. Without an author it has no log
 * entry, for a restore, which ends the log.
 */
export function* revokeAttestation(
  workspace: string,
  item: ConsumedAttestation,
  nowMs: number,
  by: Acting | null,
): Append<number> {
  if (by !== null) yield* begin(workspace, by, nowMs, true);
  const { source, jti } = item;
  if ((yield* revoke(workspace, item, nowMs)) && by !== null) {
    const timestamp = new Date(nowMs).toISOString();
    const entry = { kind: 'evidence.revoked', workspace, timestamp, by, source, jti } as const;
    yield* append((log) => notedEntries(log, [entry]));
  }
  const [row] = yield* sql<{
    readonly revoked_ms: number;
  }>`SELECT revoked_ms FROM writecheck.revoked_attestation
    WHERE workspace = ${workspace} AND source = ${item.source} AND jti = ${{ compared: item.jti }}`;
  return row!.revoked_ms;
}

/** One state per item, in order. */
export function* attestationStates(
  workspace: string,
  items: readonly ConsumedAttestation[],
): Read<readonly AttestationState[]> {
  if (items.length === 0) return [];
  const named = items.map(
    ({ source, jti }, i) => part`(${i}::integer, ${source}::text, ${{ compared: jti }}::text)`,
  );
  const rows = yield* sql<{ readonly used: number | boolean; readonly revoked: number | boolean }>`
    WITH n (place, source, jti) AS (VALUES ${separated(named)})
    SELECT EXISTS (SELECT 1 FROM writecheck.consumed_attestation c
        WHERE c.workspace = ${workspace} AND c.source = n.source AND c.jti = n.jti) AS used,
      EXISTS (SELECT 1 FROM writecheck.revoked_attestation r
        WHERE r.workspace = ${workspace} AND r.source = n.source AND r.jti = n.jti) AS revoked
    FROM n ORDER BY place`;
  return items.map(({ source, jti }, i) => ({
    source,
    jti,
    usedUp: Boolean(rows[i]!.used),
    revoked: Boolean(rows[i]!.revoked),
  }));
}
