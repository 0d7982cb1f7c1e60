/** What several writes take of each limit together, against what was left when the newest of them asked. */

import type { DecisionDetail } from '@writecheck/api';
import { amountOfSum, amountText, type LimitState } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import { success } from '../../api.ts';
import { lookedOf } from '../../components/decision/beyond-limit.ts';
import { keptDetail, readDetails } from '../../components/decision/details.ts';
import { useRevision } from '../../components/decision/use-revision.ts';
import { Told } from '../../components/text.tsx';
import { groupOf, limitIn } from '../../picture/limit-group.ts';
import { groupWords, windowWords, withUnit } from '../../picture/limit-words.ts';
import { useLoad } from '../../use-load.ts';
import type { ShownReview } from './batch-columns.ts';

export function TogetherLimits({ all }: { readonly all: readonly ShownReview[] }) {
  const ids = all.map(({ review }) => review.decisionId);
  const { value } = useLoad(`limits of ${ids.join(' ')}`, async (signal) => {
    await readDetails(ids, signal);
    const details = ids.map(keptDetail).filter((detail) => detail !== undefined);
    return success(details);
  });
  // Of one decision that is missing, the sum would be too small.
  if (value === null || value.length !== ids.length || value.length === 0) return null;
  const newest = value.reduce((a, b) => (a.timestamp > b.timestamp ? a : b));
  return <Lines details={value} newest={newest} />;
}

function Lines({
  details,
  newest,
}: {
  readonly details: readonly DecisionDetail[];
  readonly newest: DecisionDetail;
}) {
  const { policyRef } = newest.response.profileProvenance;
  const documents = useRevision(policyRef, newest.timestamp)?.documents ?? [];
  return (
    <>
      {beyondTogether(details, documents).map((text) => (
        <p key={text} class="note note-care">
          <Told text={text} />
        </p>
      ))}
    </>
  );
}

interface Taken {
  readonly state: LimitState;
  readonly asked: string;
  readonly sum: bigint;
}

/** One sentence for each limit that the writes go beyond together. */
export function beyondTogether(
  details: readonly DecisionDetail[],
  documents: readonly PolicyDocument[],
): readonly string[] {
  const groups = new Map<string, Taken & { readonly unit: string | null }>();
  for (const detail of details)
    for (const state of detail.response.limits ?? []) {
      const document = limitIn(documents, state.id);
      if (document === null || state.draw === null || state.remaining === null) continue;
      const group = groupOf(document, lookedOf(detail));
      const which = JSON.stringify([state.id, group]);
      const known = groups.get(which);
      const isNewer = known === undefined || detail.timestamp > known.asked;
      groups.set(which, {
        state: isNewer ? state : known.state,
        asked: isNewer ? detail.timestamp : known.asked,
        sum: (known?.sum ?? 0n) + amountOfSum(state.draw),
        unit: groupWords(document, group).unit,
      });
    }
  return [...groups.values()].flatMap(({ state, sum, unit }) => {
    const left = state.remaining ?? '0';
    if (sum <= amountOfSum(left)) return [];
    const take = withUnit(amountText(sum), unit);
    return `${take} together; \`${state.id}\` had ${withUnit(left, unit)} left ${windowWords(state.per)} when they asked.`;
  });
}
