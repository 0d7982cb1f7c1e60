/** Makes the proof that an entry is durable. INVARIANT: only stores call this, after their sync. */
import type { CommitRequest, Committed, Inclusion, RequestOutcome } from '../port.ts';
import type { RequestResult } from './build-commit.ts';

export function committed(
  decisionId: string,
  log: string,
  leafIndex: number,
  used: number,
  inclusion: Inclusion | undefined,
): Committed {
  const entry = { kind: 'committed', decisionId, log, leafIndex, used };
  return (inclusion === undefined ? entry : { ...entry, inclusion }) as Committed;
}

export function committedRequest(
  result: RequestResult,
  { entries: requested }: CommitRequest,
  log: string,
): RequestOutcome {
  if (result.kind !== 'done') return result;
  const entries = result.entries.map((entry, i) => {
    if (entry.kind !== 'committed') return entry;
    const { leafIndex, used, inclusion } = entry;
    return committed(requested[i]!.leaf.decision_id, log, leafIndex, used, inclusion);
  });
  return { kind: 'done', entries };
}
