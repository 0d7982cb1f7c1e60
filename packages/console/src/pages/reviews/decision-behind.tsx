/** The decision that a review is about: its limits, and the record that it read. */
import type { WriteIntent } from '@writecheck/contract';
import { readDecision } from '../../calls/decisions.ts';
import { DecisionLimits } from '../../components/decision/decision-limits.tsx';
import { useRevision } from '../../components/decision/use-revision.ts';
import { RecordCard } from '../../picture/record-card.tsx';
import { useLoad } from '../../use-load.ts';

export type Behind = NonNullable<ReturnType<typeof useDecisionBehind>>;

/** Null until it is read. */
export function useDecisionBehind(decisionId: string) {
  const { value: detail } = useLoad(decisionId, (signal) => readDecision(decisionId, signal));
  const { facts, limits, profileProvenance } = detail?.response ?? {};
  const isNeeded = facts !== undefined || limits !== undefined;
  const revision = useRevision(isNeeded ? profileProvenance?.policyRef : undefined, detail?.timestamp ?? '');
  // Without documents if it read no facts and counted against no limit.
  return detail && { detail, documents: revision?.documents ?? NO_DOCUMENTS };
}

const NO_DOCUMENTS: readonly never[] = [];

export function DecisionBehind({ detail, documents }: Behind) {
  const { facts } = detail.response;
  return (
    <>
      <DecisionLimits detail={detail} documents={documents} />
      {facts !== undefined && (
        <RecordCard
          readings={facts}
          intent={detail.intent as unknown as WriteIntent}
          documents={documents}
          atMs={Date.parse(detail.timestamp)}
        />
      )}
    </>
  );
}
