/** Which parts of a bundle only observe, and which of them would change a decision. */
import type { DecisionResponse } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import type { Outcome } from '../../api.ts';
import { type DecisionSummary, listDecisions, readDecision } from '../decisions-parts/decisions-api.ts';

export interface Observer {
  /** As provenance names it; `default` for what nothing applies to. */
  readonly ref: string;
  readonly kind: string;
  readonly id: string;
  /** Null where it observes until somebody changes it. */
  readonly until: string | null;
}

export function observersOf(documents: readonly PolicyDocument[], nowMs: number): readonly Observer[] {
  return documents.flatMap((document): readonly Observer[] => {
    if (!('writePolicy' in document) || document.writePolicy !== 'observe') return [];
    const until = document.observeUntil ?? null;
    // From then on it enforces by itself.
    if (until !== null && Date.parse(until) <= nowMs) return [];
    if (document.kind === 'Defaults') return [{ ref: 'default', kind: 'Defaults', id: 'default', until }];
    const version = document.version === undefined ? '' : `@${document.version}`;
    const ref = document.kind === 'Profile' ? `profile:${document.id}${version}` : `workflow:${document.id}`;
    return [{ ref, kind: document.kind, id: document.id, until }];
  });
}

/** So many are looked into: each costs a call. */
export const LOOKED_INTO_MAX = 25;
const AT_ONCE = 5;

export interface Changed {
  readonly decision: DecisionSummary;
  /** Refs of what asked for that which failed; of the nearest profile where nothing did. */
  readonly by: readonly string[];
}

export async function whatWouldChange(signal: AbortSignal): Promise<Outcome<readonly Changed[]>> {
  const page = await listDecisions({ warn: 'true', limit: String(LOOKED_INTO_MAX) }, signal);
  if (page.kind === 'failure') return page;
  const { decisions } = page.value;
  const changed: Changed[] = [];
  for (let at = 0; at < decisions.length; at += AT_ONCE) {
    const some = decisions.slice(at, at + AT_ONCE);
    const details = await Promise.all(some.map(({ decision_id }) => readDecision(decision_id, signal)));
    for (const [i, detail] of details.entries()) {
      if (detail.kind === 'failure') return detail;
      changed.push({ decision: some[i]!, by: blamed(detail.value.response) });
    }
  }
  return { ...page, value: changed };
}

function blamed(response: DecisionResponse): readonly string[] {
  const failing = response.controlEvaluations.filter(({ effect }) => effect !== 'allow');
  const refs = failing.flatMap(
    ({ controlId }) =>
      response.requirementProvenance.find((each) => each.controlId === controlId)?.sources ?? [],
  );
  // Where no control failed, another gate did, or what is watched would have let the write through.
  const { profileId, profileVersion } = response.profileProvenance;
  if (refs.length === 0)
    return [
      profileId === undefined
        ? 'default'
        : `profile:${profileId}${profileVersion ? `@${profileVersion}` : ''}`,
    ];
  return [...new Set(refs)];
}
