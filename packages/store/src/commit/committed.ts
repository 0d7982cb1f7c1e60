/** Makes the proof that an entry is durable. INVARIANT: only stores call this, after their sync. */
import { given } from '@writecheck/contract';
import type { CommitRequest, CommitResult, Committed } from '../port/commit.ts';
import type { RequestResult } from './build-commit.ts';

export function committed(
  decisionId: string,
  log: string,
  leafIndex: number,
  used: number,
  { inclusion, limits }: Pick<Committed, 'inclusion' | 'limits'>,
): Committed {
  const entry = { kind: 'committed', decisionId, log, leafIndex, used };
  if (inclusion === undefined && limits === undefined) return entry as Committed;
  return { ...entry, ...given({ inclusion, limits }) } as Committed;
}

export function committedRequest(
  result: RequestResult,
  { entries: requested }: CommitRequest,
  log: string,
): CommitResult {
  if (result.kind !== 'done') return result;
  const entries = result.entries.map((entry, i) => {
    if (entry.kind !== 'committed') return entry;
    return committed(requested[i]!.leaf.decision_id, log, entry.leafIndex, entry.used, entry);
  });
  return { kind: 'done', entries };
}
