/**
 * The two ends of a move: the workspace is closed in the old store, for good and on record, before anything is
 * copied; and it is opened in the new store, on record, after everything has arrived.
 */
import { isoTime } from '@writecheck/contract';
import { notedEntries } from '../commit/new-entries.ts';
import type { Arrival, Departure, KnownMove, ReceiveOutcome, SealOutcome } from '../port/moves.ts';
import { BY_MOVE } from './keys.ts';
import { type Append, append, holdLogs, noteChange, type Read, sql, type Write } from './operation.ts';

interface MoveRow {
  readonly id: string;
  readonly moves: number;
  readonly moved_to: string | null;
  readonly arrived_ms: number | null;
}

/** The value of `moved_to` until an arriving workspace is complete: the digest of the file it comes from. */
export function arrivingFrom(digest: string): string {
  return `here, from ${digest}`;
}

function moveOf({ id, moves, moved_to, arrived_ms }: MoveRow): KnownMove {
  return { workspace: id, move: moves, to: moved_to, arrivedAtMs: arrived_ms };
}

export function* findMove(workspace: string): Read<KnownMove | null> {
  const [row] = yield* sql<MoveRow>`SELECT * FROM writecheck.workspace WHERE id = ${workspace}`;
  return row === undefined ? null : moveOf(row);
}

/** Workspaces that have moved away, and those that are arriving. */
export function* listMoved(): Read<readonly KnownMove[]> {
  const rows =
    yield* sql<MoveRow>`SELECT * FROM writecheck.workspace WHERE moved_to IS NOT NULL ORDER BY number`;
  return rows.map(moveOf);
}

/**
 * Once it resolves, no key or person of the workspace can do anything here, in any process. INVARIANT: keys and
 * sessions end before every log is held, and every commit and redemption compares its key while it holds one:
 * each ends before the entry of the move, or finds its key revoked after it.
 */
export function* sealWorkspace({ workspace, to, by, ...wish }: Departure): Append<SealOutcome> {
  const [row] =
    yield* sql<MoveRow>`SELECT * FROM writecheck.workspace WHERE id = ${workspace} FOR NO KEY UPDATE`;
  if (row === undefined) return { kind: 'no_such_workspace' };
  if (row.moved_to !== null) return { kind: 'sealed_before', move: row.moves, to: row.moved_to };
  // INVARIANT: if two stores could accept it, there would be two workspaces.
  const own = yield* sql`SELECT 1 FROM writecheck.log WHERE log = ${to} AND NOT is_received`;
  if (own.length > 0) return { kind: 'lives_there' };
  yield* sql`UPDATE writecheck.api_key SET revoked_ms = ${wish.atMs}, revoked_by = ${BY_MOVE}
    WHERE workspace = ${workspace} AND revoked_ms IS NULL`;
  yield* sql`DELETE FROM writecheck.session WHERE workspace = ${workspace}`;
  yield* noteKeys(workspace);
  const atMs = Math.max(wish.atMs, yield* holdLogs('all'));
  const move = row.moves + 1;
  yield* sql`UPDATE writecheck.workspace SET moves = ${move}, moved_to = ${to} WHERE id = ${workspace}`;
  const timestamp = isoTime(atMs);
  yield* append((log) =>
    notedEntries(log, [{ kind: 'workspace.moved', workspace, timestamp, by, move, to }]),
  );
  return { kind: 'sealed', move };
}

/** Opens a workspace whose rows have all arrived. */
export function* receiveWorkspace({
  workspace,
  digest,
  checkpoints,
  by,
  ...wish
}: Arrival): Append<ReceiveOutcome> {
  const [row] =
    yield* sql<MoveRow>`SELECT * FROM writecheck.workspace WHERE id = ${workspace} FOR NO KEY UPDATE`;
  if (row?.moved_to !== arrivingFrom(digest)) return { kind: 'not_arriving' };
  yield* sql`UPDATE writecheck.api_key SET revoked_ms = NULL, revoked_by = NULL
    WHERE workspace = ${workspace} AND revoked_by = ${BY_MOVE}`;
  yield* noteKeys(workspace);
  yield* noteChange('policy', workspace, '');
  // Later than every decision from before it left, whichever replica made it.
  const atMs = Math.max(wish.atMs, yield* holdLogs('all'));
  yield* sql`UPDATE writecheck.workspace SET moved_to = NULL, arrived_ms = ${atMs} WHERE id = ${workspace}`;
  const entry = {
    kind: 'workspace.received',
    workspace,
    timestamp: isoTime(atMs),
    by,
    move: row.moves,
  } as const;
  yield* append((log) => notedEntries(log, [{ ...entry, checkpoints }]));
  return { kind: 'received' };
}

function* noteKeys(workspace: string): Write<void> {
  const keys = yield* sql<{
    readonly id: string;
  }>`SELECT id FROM writecheck.api_key WHERE workspace = ${workspace}
    AND (revoked_ms IS NULL OR revoked_by = ${BY_MOVE}) ORDER BY id`;
  for (const { id } of keys) yield* noteChange('key', workspace, id);
}
