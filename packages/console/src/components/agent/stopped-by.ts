/** Which controls and limits stopped writes, from the writes themselves: lists carry only the first reason. */
import type { DecisionDetail } from '@writecheck/api';

interface Stopper {
  readonly kind: 'control' | 'limit';
  readonly id: string;
  readonly writes: number;
}

/** Commonest first; a write that two of them stopped counts for both. */
export function stoppedBy(details: readonly Pick<DecisionDetail, 'response'>[]): readonly Stopper[] {
  const found = new Map<string, Stopper>();
  const note = (kind: Stopper['kind'], id: string) => {
    const writes = (found.get(`${kind} ${id}`)?.writes ?? 0) + 1;
    found.set(`${kind} ${id}`, { kind, id, writes });
  };
  for (const { response } of details) {
    const { decision, controlEvaluations, requirementProvenance, limits = [] } = response;
    if (decision === 'allow') continue;
    for (const { controlId, effect } of controlEvaluations) {
      const sources = requirementProvenance.find((each) => each.controlId === controlId)?.sources ?? [];
      // What only a limit requires is missing because of that limit.
      const isOfLimit = sources.length > 0 && sources.every((source) => source.startsWith('limit:'));
      if (effect !== 'allow' && !isOfLimit) note('control', controlId);
    }
    for (const { id, beyond, observed } of limits) if (beyond && !observed) note('limit', id);
  }
  return [...found.values()].sort((a, b) => b.writes - a.writes);
}
