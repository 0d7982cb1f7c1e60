/** Writes the rows of an arriving workspace; it stays closed until `receiveWorkspace` opens it. */
import { StoreUnavailable } from '../port/failure.ts';
import type { Workspace } from '../port/keys.ts';
import { storableId } from '../postgres/storable-text.ts';
import { BY_MOVE } from '../tables/keys.ts';
import { arrivingFrom } from '../tables/moves.ts';
import { storedReview, tagsOf } from '../tables/review-rows.ts';
import { MOVED_TABLES, type MovedRow, rowFromFile } from './moved-tables.ts';
import type { FileRow } from './read-workspace.ts';
import { insertRow, type Session } from './session.ts';

export interface ArrivingWorkspace extends Workspace {
  readonly move: number;
  /** A log of the store that may take it in. */
  readonly to: string;
}

const OTHERS = ['usage', 'limit_draws'];
/** Rows that do not name the workspace: a delivery names its webhook, a draw its place. */
const UNNAMED = ['webhook_delivery', 'limit_draws'];

/** Why this store must not accept it; null if it may. */
export async function refusal(session: Session, { id, move, to }: ArrivingWorkspace): Promise<string | null> {
  const own = await session.query('SELECT 1 FROM writecheck.log WHERE log = $1 AND NOT is_received', [to]);
  if (own.length === 0) return `it moves to the store of log \`${to}\`, which is another one`;
  const [known] = await session.query<{ readonly moves: number; readonly moved_to: string | null }>(
    'SELECT moves, moved_to FROM writecheck.workspace WHERE id = $1',
    [id],
  );
  if (known === undefined) return null;
  if (known.moved_to === null) return 'the workspace already lives here';
  // INVARIANT: a workspace that has left again is not accepted from an old file, whose state is outdated.
  if (known.moves >= move) return 'it has moved since this file was written; take the newest file';
  return null;
}

/** Replaces what an earlier stay of the workspace left behind. */
export async function beginArrival(
  session: Session,
  { id, name, createdAtMs, liveGranted, move }: ArrivingWorkspace,
  digest: string,
): Promise<void> {
  for (const { table, where } of [...MOVED_TABLES].reverse())
    await session.query(`DELETE FROM writecheck.${table} WHERE ${where}`, [id]);
  for (const table of ['review_tag', 'usage', 'session'])
    await session.query(`DELETE FROM writecheck.${table} WHERE workspace = $1`, [id]);
  await session.query(
    `INSERT INTO writecheck.workspace (id, name, created_ms, live_granted, moves, moved_to) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, live_granted = excluded.live_granted, moves = excluded.moves,
       moved_to = excluded.moved_to`,
    [id, name, createdAtMs, liveGranted, move, arrivingFrom(digest)],
  );
}

/** Throws `StoreUnavailable` for a row that does not belong to the workspace. */
export async function writeRow(session: Session, workspace: string, { table, row }: FileRow): Promise<void> {
  const moved = MOVED_TABLES.find((each) => each.table === table);
  const isOwn =
    (moved !== undefined || OTHERS.includes(table)) &&
    (row.workspace === workspace || UNNAMED.includes(table));
  if (!isOwn) throw new StoreUnavailable('io', `a row of table \`${table}\` does not belong in this file`);
  const stored = rowFromFile(session.kind, moved ?? { table, where: '' }, row);
  if (table === 'usage' && session.kind === 'postgres')
    return insertRow(session, table, { ...stored, log: -1 });
  if (table === 'limit_draws')
    await session.query('DELETE FROM writecheck.limit_draws WHERE place = $1', [stored.place]);
  await insertRow(session, table, table === 'api_key' ? closedKey(stored) : stored);
  if (table === 'review') await writeTags(session, row);
}

/** INVARIANT: no key works before everything is there. */
function closedKey(key: MovedRow): MovedRow {
  return key.revoked_ms === null ? { ...key, revoked_ms: key.created_ms, revoked_by: BY_MOVE } : key;
}

async function writeTags(session: Session, row: MovedRow): Promise<void> {
  for (const tag of tagsOf(storedReview(row))) {
    const stored = session.kind === 'postgres' ? storableId(tag) : tag;
    await insertRow(session, 'review_tag', {
      workspace: row.workspace,
      tag: stored,
      place: row.place,
      id: row.id,
    });
  }
}
