/** The response that an idempotency key is bound to, assembled when its request commits. */
import type { CommitEntry, IdempotencyClaim } from '../port.ts';

/** INVARIANT: byte for byte what the caller gets, including an over-quota entry within the same frame. */
export function keptResponse(
  frame: IdempotencyClaim['frame'],
  entries: readonly Pick<CommitEntry, 'answers'>[],
  outcomes: readonly { readonly kind: 'admitted' | 'over' }[],
): Buffer {
  let response = frame[0] ?? '';
  for (const [i, { answers }] of entries.entries()) {
    if (answers === undefined) throw new TypeError('a request that claims a key must bring its responses');
    response += outcomes[i]!.kind === 'admitted' ? answers.committed : answers.overQuota;
    response += frame[i + 1] ?? '';
  }
  return Buffer.from(response);
}
