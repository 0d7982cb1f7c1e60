/** The actor of a change: its log entry names them, and its transaction checks whether they still may make it. */
import type { ChangeAuthor } from '@writecheck/ledger/log';

export interface Acting extends ChangeAuthor {
  /** The hash of a person's session. */
  readonly session?: string;
}

/** Why nobody may act with a key or session any more. A deleted workspace has no keys. */
export type EndedCode = 'key_revoked' | 'key_expired' | 'workspace_suspended' | 'invalid_key';
/** Also that the workspace has stored what it may store today. */
export type RefusedCode = EndedCode | 'quota_exceeded';

/** The actor may no longer act, as the transaction found; nothing was changed. */
export interface ActingOver {
  readonly kind: 'acting_over';
  readonly code: RefusedCode;
}

/** What every key and session of a suspended workspace is told. */
export const SUSPENDED = 'the operator of this service has suspended the workspace; ask them to resume it';
/** What a workspace is told that signed itself up and has reached its ceiling. */
export const STORED_ENOUGH =
  'this workspace has stored what it may store today (UTC); wait until tomorrow, or ask the operator for live keys';
const MESSAGES: { readonly [code in RefusedCode]?: string } = {
  workspace_suspended: SUSPENDED,
  quota_exceeded: STORED_ENOUGH,
};

/** Thrown to the author of the change, who was admitted just before. */
export class ActingEnded extends Error {
  readonly code: RefusedCode;

  constructor(code: RefusedCode) {
    super(MESSAGES[code] ?? 'the key or session ended before the change was made; nothing was changed');
    this.code = code;
  }
}

/** Passes on the outcome of a change, unless its author may no longer make it. */
export function unlessEnded<Outcome>(outcome: Outcome): Outcome {
  const over = outcome as Partial<ActingOver> | null | undefined;
  if (over?.kind === 'acting_over') throw new ActingEnded(over.code!);
  return outcome;
}
