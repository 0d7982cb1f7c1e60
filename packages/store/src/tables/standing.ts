/** The standing of a workspace, read together with a key or session of it. */
import type { WorkspaceStanding, WorkspaceState } from '../port/keys.ts';
import { text } from './operation.ts';

/** The columns to read, with the table as `w`. */
export const STANDING = text('w.state AS workspace_state, w.signed_up, w.live_granted');

export interface StandingRow {
  readonly workspace_state: WorkspaceState;
  readonly signed_up: number | boolean;
  readonly live_granted: number | boolean;
}

export function standingOf({
  workspace_state: state,
  signed_up,
  live_granted,
}: StandingRow): WorkspaceStanding {
  return { state, isSelfServe: Boolean(signed_up) && !live_granted };
}
