/** What the decision under review saw: the facts that sources signed, and how much of each limit was used up. */
import type { DecisionDetail } from '@writecheck/api';
import type { WriteIntent } from '@writecheck/contract';
import { readDecision } from '../../calls/decisions.ts';
import { DecisionLimits } from '../../components/decision/decision-limits.tsx';
import { useRevision } from '../../components/decision/use-revision.ts';
import { RecordCard } from '../../picture/record-card.tsx';
import { useLoad } from '../../use-load.ts';

/** Nothing if the decision read no facts and counted against no limit. */
export function DecisionBehind({ decisionId }: { readonly decisionId: string }) {
  const { value } = useLoad(decisionId, (signal) => readDecision(decisionId, signal));
  if (value === null || (value.response.facts === undefined && value.response.limits === undefined))
    return null;
  return <Behind detail={value} />;
}

const NO_DOCUMENTS: readonly never[] = [];

function Behind({ detail }: { readonly detail: DecisionDetail }) {
  const { response, timestamp } = detail;
  const documents = useRevision(response.profileProvenance.policyRef, timestamp)?.documents ?? NO_DOCUMENTS;
  return (
    <>
      <DecisionLimits detail={detail} documents={documents} />
      {response.facts !== undefined && (
        <RecordCard
          readings={response.facts}
          intent={detail.intent as unknown as WriteIntent}
          documents={documents}
          atMs={Date.parse(timestamp)}
        />
      )}
    </>
  );
}
