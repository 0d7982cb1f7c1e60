/** What an operator does to workspaces, and sees of them. */
import type { Acting } from './acting.ts';
import type { Workspace } from './keys.ts';
import type { Progress } from './log.ts';

/** Who changes which workspace, and when. */
export interface StateChange {
  readonly workspace: string;
  readonly by: Acting;
  readonly atMs: number;
}

export type StateOutcome =
  | { readonly kind: 'changed'; readonly atMs: number }
  /** It was so before. */
  | { readonly kind: 'unchanged' }
  /** Or it was deleted. */
  | { readonly kind: 'no_such_workspace' };

export interface WorkspaceFigures extends Workspace {
  /** The newest use of a key or session; null if there was none. */
  readonly lastUsedAtMs: number | null;
  /** The decisions charged in the month. */
  readonly decisions: number;
  /** What it has stored, less the records that were erased. */
  readonly storedBytes: number;
}

/** What the deletion of a workspace erases: how many rows or entries of each kind. */
export interface WorkspaceContents {
  readonly decisions: number;
  /** Entries of the log that are emptied, decisions among them. */
  readonly entries: number;
  /** Rows by table. */
  readonly rows: { readonly [table: string]: number };
}

export interface WorkspaceDeletion {
  /** Counts what a deletion would erase; reads the whole log. */
  workspaceContents(workspace: string, progress?: Progress): Promise<WorkspaceContents>;
  /**
   * Erases everything of a workspace that is deleted already: its rows, and the records of its entries, as an erasure
   * does. If it was interrupted, erasing again completes it. Resolves with how many entries of the log it emptied.
   */
  eraseWorkspace(erasure: { readonly id: string } & StateChange, progress?: Progress): Promise<number>;
}
