/** Names the person who runs a command on the store, for the log. */
import { userInfo } from 'node:os';
import type { ChangeAuthor } from '@writecheck/ledger';

export function operator(): ChangeAuthor<'operator'> {
  return { kind: 'operator', id: userName() };
}

/** A container may run as a user that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
