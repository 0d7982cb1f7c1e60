/** Makes the proof that a decision is durable. INVARIANT: only stores call this, after their sync. */
import type { CommitRequest, CommitResult, Committed } from '../port/commit.ts';
import type { RequestResult } from './build-commit.ts';

export function committed(
  decisionId: string,
  log: string,
  leafIndex: number,
  used: number,
  limits: Committed['limits'],
): Committed {
  const entry = { kind: 'committed', decisionId, log, leafIndex, used };
  return (limits === undefined ? entry : { ...entry, limits }) as Committed;
}

export function committedRequest(result: RequestResult, { leaf }: CommitRequest, log: string): CommitResult {
  if (result.kind !== 'committed') return result;
  return committed(leaf.decision_id, log, result.leafIndex, result.used, result.limits);
}
