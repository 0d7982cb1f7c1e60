/** The tables that move from SQLite to PostgreSQL row by row; logs and segments have their own copy in `copy-store.ts`. */

import { storableId, storableText } from './postgres/storable-text.ts';
import { SUMMARY_COLUMNS } from './tables/impact.ts';
import { PERSON_COLUMNS } from './tables/people-rows.ts';
import { COLUMNS } from './tables/review-rows.ts';
import { WEBHOOK_COLUMNS } from './tables/webhook-rows.ts';

export type Row = { readonly [column: string]: unknown };

export interface CopiedTable {
  /** What to read from SQLite. */
  readonly from: string;
  /** The table in PostgreSQL. */
  readonly to: string;
  /** For columns that differ. */
  readonly change?: (row: Row) => Row;
}

export const COPIED_TABLES: readonly CopiedTable[] = [
  {
    from: 'SELECT id, name, created_ms, live_granted, moves, moved_to FROM workspace ORDER BY number',
    to: 'workspace',
    change: (row) => ({ ...row, live_granted: row.live_granted === 1 }),
  },
  {
    from: `SELECT id, workspace, kind, name, hash, hint, created_ms, expires_ms, last_used_ms, revoked_ms,
      rotated_ms, rotated_from, allowed_systems, allowed_workflows, held_by, made_by, revoked_by,
      roles, lineage
      FROM api_key ORDER BY number`,
    to: 'api_key',
  },
  // Earlier charges count everywhere: all rows are added up, with a limit or without.
  { from: 'SELECT workspace, period, kind, -1 AS log, used FROM usage', to: 'usage' },
  {
    from: `SELECT workspace, key, request_digest, 0 AS claimed_ms, expires_ms, replayable_while, response
      FROM idempotency`,
    to: 'idempotency',
  },
  {
    from: 'SELECT workspace, source, jti FROM consumed_attestation',
    to: 'consumed_attestation',
    change: withId,
  },
  {
    from: 'SELECT workspace, source, jti, revoked_ms FROM revoked_attestation',
    to: 'revoked_attestation',
    change: withId,
  },
  {
    from: `SELECT workspace, revision, digest, documents, author_key, created_ms, rollback_of, author_person, loosens, message, has_limits
      FROM policy`,
    to: 'policy',
    change: (row) => ({ ...row, loosens: row.loosens === 1, has_limits: row.has_limits === 1 }),
  },
  {
    from: 'SELECT workspace, decision_id, key_id, redeemed_ms, idempotency_key FROM redemption',
    to: 'redemption',
  },
  { from: 'SELECT place, texts, draws, until_ms, pruned FROM limit_draws', to: 'limit_draws' },
  { from: 'SELECT restored_ms FROM limit_restored', to: 'limit_restored' },
  {
    from: `SELECT workspace, number, id, scope, reason, created_ms, by_kind, by_id, until_ms, lifted_ms, lifted_by,
      lift_reason, places, request_key, request_digest FROM freeze`,
    to: 'freeze',
    change: storableFreeze,
  },
  {
    from: 'SELECT workspace, decision_id, result, at_ms, recorded_ms, by_kind, by_id, note, ref FROM outcome',
    to: 'outcome',
    change: (row) => ({ ...row, note: storableOrNull(row.note), ref: storableOrNull(row.ref) }),
  },
  { from: 'SELECT workspace, number FROM freeze_number', to: 'freeze_number' },
  // The attestation tables record whether an approval was used or taken back.
  {
    from: `SELECT ${COLUMNS.join(', ')} FROM review`,
    to: 'review',
    change: storableReview,
  },
  {
    from: 'SELECT workspace, tag, place, id FROM review_tag',
    to: 'review_tag',
    change: (row) => ({ ...row, tag: storableId({ jti: String(row.tag) }) }),
  },
  // Sessions stay behind: everybody signs in again.
  { from: `SELECT ${PERSON_COLUMNS.join(', ')}, last_seen_ms FROM person ORDER BY number`, to: 'person' },
  {
    from: `SELECT id, workspace, person, epoch, public_key, algorithm, sign_count, transports, registered_ms, invited_by
      FROM credential`,
    to: 'credential',
  },
  // Cursors name logs, which keep their names. A lease of the old process means nothing here.
  {
    from: `SELECT ${WEBHOOK_COLUMNS.join(', ')}, cursor, '' AS holder, 0 AS leased_until_ms FROM webhook ORDER BY number`,
    to: 'webhook',
  },
  {
    from: `SELECT webhook, id, type, at_ms, data, state, attempts, status, next_ms FROM webhook_delivery
      ORDER BY number`,
    to: 'webhook_delivery',
  },
  // A run that is under way is failed on the other side, since nobody keeps its lease there.
  { from: `SELECT ${SUMMARY_COLUMNS}, report FROM impact_run`, to: 'impact_run' },
  { from: 'SELECT workspace, id, document FROM assessment', to: 'assessment' },
  { from: 'SELECT workspace, day, decisions FROM pruned_day', to: 'pruned_day' },
  {
    from: 'SELECT workspace, decision_id, is_settled FROM erased_decision',
    to: 'erased_decision',
    change: (row) => ({ ...row, is_settled: row.is_settled === 1 }),
  },
  { from: 'SELECT workspace, before_ms FROM erased_before', to: 'erased_before' },
  { from: 'SELECT log, size, note, frontier FROM checkpoint', to: 'checkpoint' },
  { from: 'SELECT line, published_ms FROM verifier_key ORDER BY number', to: 'verifier_key' },
];

function withId(row: Row): Row {
  return { ...row, jti: storableId({ jti: String(row.jti) }) };
}

function storableOrNull(text: unknown): string | null {
  return text === null ? null : storableText(String(text));
}

function storableFreeze(row: Row): Row {
  const { scope, reason, lift_reason: liftReason } = row;
  return {
    ...row,
    scope: storableText(String(scope)),
    reason: storableText(String(reason)),
    lift_reason: storableOrNull(liftReason),
  };
}

function storableReview(row: Row): Row {
  const { system, object_ref: objectRef, document } = row;
  return {
    ...row,
    system: storableText(String(system)),
    object_ref: objectRef === null ? null : storableText(String(objectRef)),
    document: storableText(String(document)),
  };
}
