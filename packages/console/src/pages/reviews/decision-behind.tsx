/** What the decision under review saw: the facts that sources signed, and how much of each limit was used up. */
import type { DecisionDetail } from '@writecheck/api';
import type { WriteIntent } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import { readDecision } from '../../calls/decisions.ts';
import { DecisionLimits } from '../../components/decision/decision-limits.tsx';
import { useRevision } from '../../components/decision/use-revision.ts';
import { RecordCard } from '../../picture/record-card.tsx';
import { useLoad } from '../../use-load.ts';

export interface Behind {
  readonly detail: DecisionDetail;
  /** The policy that it was made under; empty if it read no facts and counted against no limit. */
  readonly documents: readonly PolicyDocument[];
}

/** Null until it is read. */
export function useDecisionBehind(decisionId: string): Behind | null {
  const { value: detail } = useLoad(decisionId, (signal) => readDecision(decisionId, signal));
  const { facts, limits, profileProvenance } = detail?.response ?? {};
  const isNeeded = facts !== undefined || limits !== undefined;
  const revision = useRevision(isNeeded ? profileProvenance?.policyRef : undefined, detail?.timestamp ?? '');
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
