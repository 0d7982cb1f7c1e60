/** Erases a deleted workspace: its rows in every table, then the records of its entries, in many short steps. */
import type { Erasures, Prunable } from '../port/erasures.ts';
import type { Progress } from '../port/log.ts';
import type { WorkspaceContents, WorkspaceDeletion } from '../port/workspaces.ts';
import type { Methods } from '../tables/operation.ts';
import type { INNER } from '../tables/operations.ts';
import { OWNED_TABLES } from './owned-tables.ts';

interface EraseParts extends Erasures {
  readonly store: Methods<typeof INNER.reads & typeof INNER.writes>;
  paced<T>(step: () => Promise<T>): Promise<T>;
}

const REASON = 'the workspace was deleted';

export async function workspaceContents(
  { store, findPrunable }: EraseParts,
  workspace: string,
  progress?: Progress,
): Promise<WorkspaceContents> {
  const rows: { [table: string]: number } = {};
  for (const owned of OWNED_TABLES) rows[owned.table] = await store.countOwned(owned, workspace);
  const { counts } = await findPrunable({ workspace, beforeMs: Number.MAX_SAFE_INTEGER }, progress);
  const { entries, decisions } = counts.get(workspace) ?? { entries: 0, decisions: 0 };
  return { rows, entries, decisions };
}

/** The same deletion again completes what an interrupted one began. */
export async function eraseWorkspace(
  parts: EraseParts,
  { workspace, id, by, atMs }: Parameters<WorkspaceDeletion['eraseWorkspace']>[0],
  progress?: Progress,
): Promise<number> {
  // Reviews and freezes go first, because entries that they need would stay.
  await deleteRows(parts, workspace);
  const found = await parts.findPrunable({ workspace, beforeMs: atMs + 1 });
  const all: Prunable = { ...found, chosenBy: ['workspace'], isOfDeleted: true };
  const emptied = await parts.prune(all, { id, by, reason: REASON, atMs }, progress);
  // What the erasure itself counted.
  await deleteRows(parts, workspace);
  await parts.store.forgetWorkspaceName(workspace);
  return emptied;
}

async function deleteRows({ store, paced }: EraseParts, workspace: string): Promise<void> {
  for (const owned of OWNED_TABLES) while ((await paced(() => store.deleteOwned(owned, workspace))) > 0);
}
