/** Why a commit does nothing for a key, from what both databases read about it. */
import type { EndedCode } from '../port/acting.ts';
import type { WorkspaceState } from '../port/keys.ts';
import { endedBy } from '../tables/lock-workspace.ts';

export interface AskingKey {
  /** Null if there is no such workspace. */
  readonly state: WorkspaceState | null;
  /** Whether the key was revoked, or its holder is disabled. */
  readonly is_revoked: number | boolean;
}

export function endedCode(key: AskingKey | undefined): EndedCode | null {
  // INVARIANT: nothing is recorded for a workspace that does not exist.
  const state = key?.state ?? 'deleted';
  if (state !== 'active') return endedBy(state);
  return key!.is_revoked ? 'key_revoked' : null;
}
