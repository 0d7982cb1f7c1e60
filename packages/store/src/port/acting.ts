/** The actor of a change: its log entry names them, and its transaction checks whether they still may make it. */
import type { ChangeAuthor } from '@writecheck/ledger/log';

export interface Acting extends ChangeAuthor {
  /** The hash of a person's session. */
  readonly session?: string;
}

/** The actor may no longer act, as the transaction found; nothing was changed. */
export interface ActingOver {
  readonly kind: 'acting_over';
  readonly code: 'key_revoked' | 'key_expired';
}

/** Thrown to the author of the change, who was admitted just before. */
export class ActingEnded extends Error {
  readonly code: ActingOver['code'];

  constructor(code: ActingOver['code']) {
    super('the key or session ended before the change was made; nothing was changed');
    this.code = code;
  }
}

/** Passes on the outcome of a change, unless its author may no longer make it. */
export function unlessEnded<Outcome>(outcome: Outcome): Outcome {
  const over = outcome as Partial<ActingOver> | null | undefined;
  if (over?.kind === 'acting_over') throw new ActingEnded(over.code!);
  return outcome;
}
