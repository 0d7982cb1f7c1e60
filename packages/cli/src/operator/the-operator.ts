/** Who runs a command on the store, as the log names them. */
import { userInfo } from 'node:os';
import type { ChangeAuthor } from '@writecheck/ledger';

export function operator(): ChangeAuthor & { readonly kind: 'operator' } {
  return { kind: 'operator', id: userInfo().username };
}
