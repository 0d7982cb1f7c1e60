/** The response that an idempotency key is bound to, assembled when its request commits. */
import { withLimits } from '@writecheck/contract';
import type { CommitEntry, IdempotencyBinding } from '../port/commit.ts';
import type { MovedLimits } from '../port/limits.ts';

/** INVARIANT: byte for byte what the caller gets, including an over-quota entry within the same frame. */
export function keptResponse(
  { frame, endOverQuota }: Pick<IdempotencyBinding, 'frame' | 'endOverQuota'>,
  entries: readonly Pick<CommitEntry, 'answers' | 'limits'>[],
  outcomes: readonly (
    | { readonly kind: 'admitted'; readonly moved: MovedLimits | null }
    | { readonly kind: 'over' }
  )[],
): Buffer {
  let response = frame[0] ?? '';
  for (const [i, { answers, limits }] of entries.entries()) {
    if (answers === undefined) throw new TypeError('a request that claims a key must bring its responses');
    const outcome = outcomes[i]!;
    if (outcome.kind === 'over' && endOverQuota !== undefined)
      return Buffer.from(response + answers.overQuota + endOverQuota);
    if (outcome.kind === 'over') response += answers.overQuota;
    else if (outcome.moved === null) response += answers.committed;
    else response += withLimits(answers.committed, limits!.states, outcome.moved.states);
    response += frame[i + 1] ?? '';
  }
  return Buffer.from(response);
}
