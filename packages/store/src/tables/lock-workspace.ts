/** The lock that serializes changes of one workspace. */
import type { ActingOver } from '../port/acting.ts';
import { type Read, sql, text, Undone } from './operation.ts';

/** Excludes workspaces that have moved to another store, in rows with a column `workspace`. */
export const LIVES_HERE = text(
  'workspace NOT IN (SELECT id FROM writecheck.workspace WHERE moved_to IS NOT NULL)',
);

/**
 * Every operation that counts or changes the keys, policies or webhooks of a workspace waits here for its turn;
 * false if there is no such workspace. INVARIANT: nothing is changed in one that has moved to another store.
 */
export function* lockWorkspace(id: string): Read<boolean> {
  const [found] = yield* sql<{ readonly moved_to: string | null }>`SELECT moved_to FROM writecheck.workspace
    WHERE id = ${id} FOR NO KEY UPDATE`;
  if (found !== undefined) requireHere(found);
  return found !== undefined;
}

export function requireHere({ moved_to }: { readonly moved_to: string | null }): void {
  if (moved_to !== null) throw new Undone({ kind: 'acting_over', code: 'key_revoked' } satisfies ActingOver);
}
