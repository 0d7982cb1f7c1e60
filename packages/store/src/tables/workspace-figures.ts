/** Every workspace with what an operator bills by, in one statement: also fast for many thousands. */
import type { WorkspaceState } from '../port/keys.ts';
import type { WorkspaceFigures } from '../port/workspaces.ts';
import { type Read, sql } from './operation.ts';

interface FiguresRow {
  readonly id: string;
  readonly name: string;
  readonly state: WorkspaceState;
  readonly created_ms: number;
  readonly signed_up: number | boolean;
  readonly live_granted: number | boolean;
  readonly key_used_ms: number | null;
  readonly seen_ms: number | null;
  readonly decisions: number;
  readonly stored: number;
  readonly erased: number;
}

/** Oldest first. Of the deleted ones, those whose erasure was interrupted. `period` is `2026-11`, UTC. */
export function* workspaceFigures(period: string): Read<readonly WorkspaceFigures[]> {
  const rows = yield* sql<FiguresRow>`SELECT id, name, state, created_ms, signed_up, live_granted,
      (SELECT max(last_used_ms) FROM writecheck.api_key k WHERE k.workspace = w.id) AS key_used_ms,
      (SELECT max(last_seen_ms) FROM writecheck.person p WHERE p.workspace = w.id) AS seen_ms,
      (SELECT coalesce(sum(used), 0)::bigint FROM writecheck.usage u WHERE u.workspace = w.id
        AND u.period = ${period} AND u.kind <> 'bytes') AS decisions,
      (SELECT coalesce(sum(used), 0)::bigint FROM writecheck.usage u WHERE u.workspace = w.id
        AND u.kind = 'bytes' AND length(u.period) = ${period.length}::bigint) AS stored,
      (SELECT coalesce(sum(bytes), 0)::bigint FROM writecheck.pruned_day d WHERE d.workspace = w.id) AS erased
    FROM writecheck.workspace w WHERE state <> 'deleted' OR name <> '' ORDER BY number`;
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    state: row.state,
    createdAtMs: row.created_ms,
    signedUp: Boolean(row.signed_up),
    liveGranted: Boolean(row.live_granted),
    lastUsedAtMs: row.key_used_ms === null ? row.seen_ms : Math.max(row.key_used_ms, row.seen_ms ?? 0),
    decisions: row.decisions,
    storedBytes: Math.max(0, row.stored - row.erased),
  }));
}
