/** What a recorded decision took of each limit. */
import type { DecisionDetail } from '@writecheck/api';
import type { EvidenceItem, FactsReading } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import { Moment } from '../../components/moment.tsx';
import { LimitLines } from '../../picture/limit-lines.tsx';
import { valuesOf } from '../../picture/record-facts.ts';

/** Nothing if no limit applies. */
export function DecisionLimits({
  detail,
  documents,
}: {
  readonly detail: DecisionDetail;
  readonly documents: readonly PolicyDocument[];
}) {
  const { limits = [], facts = [] } = detail.response;
  if (limits.length === 0) return null;
  const items = Array.isArray(detail.intent.controlEvidence)
    ? (detail.intent.controlEvidence as readonly EvidenceItem[])
    : [];
  return (
    <section class="card" aria-labelledby="limits">
      <h2 id="limits">{limits.length === 1 ? 'Limit' : 'Limits'}</h2>
      <p class="quiet small-text">
        As it stood when the agent asked, <Moment at={detail.timestamp} />.
      </p>
      <LimitLines
        limits={limits}
        documents={documents}
        looked={{
          intent: detail.intent,
          keyName: detail.keyName ?? detail.keyId,
          factsOf: (controlId) => factsFrom(facts, items, controlId),
        }}
      />
    </section>
  );
}

function factsFrom(facts: readonly FactsReading[], items: readonly EvidenceItem[], controlId: string) {
  const reading = facts.find((each) => each.controlId === controlId);
  return reading === undefined ? null : valuesOf(reading, items);
}
