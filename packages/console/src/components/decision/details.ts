/** Reads the intents of listed decisions, which lists do not carry, and keeps them: a decision never changes. */
import type { DecisionDetail, DecisionSummary } from '@writecheck/api';
import { areLookAlikes } from '@writecheck/contract';
import { useEffect, useState } from 'preact/hooks';
import { readDecision } from '../../calls/decisions.ts';

const AT_ONCE = 6;
const KEPT_MAX = 1_500;
const kept = new Map<string, DecisionDetail>();

export function keptDetail(id: string): DecisionDetail | undefined {
  return kept.get(id);
}

/** The agent's value and the source's if they look the same and are not; null if not, or if the decision is not read. */
export function lookAlikesIn(id: string): readonly [string, string] | null {
  const { agentValue, authorityValue } = kept.get(id)?.intent ?? {};
  if (typeof agentValue !== 'string' || typeof authorityValue !== 'string') return null;
  return areLookAlikes(agentValue, authorityValue) ? [agentValue, authorityValue] : null;
}

/** Stops at the first failure: the rows stay without their values. */
export async function readDetails(ids: readonly string[], signal: AbortSignal): Promise<void> {
  const missing = ids.filter((id) => !kept.has(id));
  for (let at = 0; at < missing.length; at += AT_ONCE) {
    if (signal.aborted) return;
    const read = await Promise.all(missing.slice(at, at + AT_ONCE).map((id) => readDecision(id, signal)));
    for (const outcome of read) {
      if (outcome.kind === 'failure') return;
      kept.set(outcome.value.decision_id, outcome.value);
    }
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_MAX) break;
      kept.delete(oldest);
    }
  }
}

/** Re-renders once the values of these rows are known. */
export function useDetails(rows: readonly DecisionSummary[]): void {
  const [, setRound] = useState(0);
  const ids = rows.map(({ decision_id }) => decision_id).join(' ');
  useEffect(() => {
    const leaving = new AbortController();
    const wanted = ids === '' ? [] : ids.split(' ');
    if (wanted.every((id) => kept.has(id))) return;
    readDetails(wanted, leaving.signal).then(() => {
      if (!leaving.signal.aborted) setRound((round) => round + 1);
    });
    return () => leaving.abort();
  }, [ids]);
}
