/** Finds the policies in observe mode and the decisions they would change. */

import type { DecisionSummary } from '@writecheck/api';
import type { DecisionResponse } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import { type Reply, success } from '../../api.ts';
import { listDecisions, readDecision } from '../../calls/decisions.ts';
import { joined } from '../../replies.ts';
import { rangeOf } from '../decision/time-range.ts';

export type Observer = ReturnType<typeof observersOf>[number];

export function observersOf(documents: readonly PolicyDocument[], nowMs: number) {
  return documents.flatMap((document) => {
    if (!('writePolicy' in document) || document.writePolicy !== 'observe') return [];
    // Null if it has no end date.
    const until = document.observeUntil ?? null;
    // After this time the policy enforces.
    if (until !== null && Date.parse(until) <= nowMs) return [];
    if (document.kind === 'Defaults') return [{ ref: 'default', kind: 'Defaults', id: 'default', until }];
    const version = document.version === undefined ? '' : `@${document.version}`;
    // The name that provenance uses; `default` for writes that no profile covers.
    const ref = document.kind === 'Profile' ? `profile:${document.id}${version}` : `workflow:${document.id}`;
    return [{ ref, kind: document.kind, id: document.id, until }];
  });
}

/** A limit, because each decision costs a call. */
const LOOKED_INTO_MAX = 25;
const AT_ONCE = 5;

export interface Changed {
  readonly decision: DecisionSummary;
  /** Refs of the policies whose requirement failed; the applied profile if no control failed. */
  readonly by: readonly string[];
}

/** Of the last 30 days. */
export async function whatWouldChange(signal: AbortSignal): Promise<Reply<readonly Changed[]>> {
  const lately = rangeOf('30d');
  const page = await listDecisions({ lately, warn: 'true', limit: String(LOOKED_INTO_MAX) }, signal);
  if (page.kind === 'failure') return page;
  const { decisions } = page.value;
  const changed: Changed[] = [];
  for (let at = 0; at < decisions.length; at += AT_ONCE) {
    const some = decisions.slice(at, at + AT_ONCE);
    const read = await joined(some.map(({ decision_id }) => readDecision(decision_id, signal)));
    if (read.kind === 'failure') return read;
    changed.push(...read.value.map(({ response }, i) => ({ decision: some[i]!, by: blamed(response) })));
  }
  return success(changed);
}

function blamed(response: DecisionResponse): readonly string[] {
  const failing = response.controlEvaluations.filter(({ effect }) => effect !== 'allow');
  const refs = failing.flatMap(
    ({ controlId }) =>
      response.requirementProvenance.find((each) => each.controlId === controlId)?.sources ?? [],
  );
  // If no control failed, another gate did, or the observed policy would have allowed the write.
  const { profileId, profileVersion } = response.profileProvenance;
  if (refs.length === 0)
    return [
      profileId === undefined
        ? 'default'
        : `profile:${profileId}${profileVersion ? `@${profileVersion}` : ''}`,
    ];
  return [...new Set(refs)];
}
