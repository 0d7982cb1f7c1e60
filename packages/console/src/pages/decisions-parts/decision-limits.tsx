/** What a recorded decision took of each limit. */
import type { DecisionDetail } from '@writecheck/api';
import type { PolicyDocument } from '@writecheck/engine';
import { Moment } from '../../components/moment.tsx';
import { LimitLines } from '../../picture/limit-lines.tsx';
import { lookedOf } from './beyond-limit.ts';

/** Nothing if no limit applies. */
export function DecisionLimits({
  detail,
  documents,
}: {
  readonly detail: DecisionDetail;
  readonly documents: readonly PolicyDocument[];
}) {
  const { limits = [] } = detail.response;
  if (limits.length === 0) return null;
  return (
    <section class="card" aria-labelledby="limits">
      <h2 id="limits">{limits.length === 1 ? 'Limit' : 'Limits'}</h2>
      <p class="quiet small-text">
        As it stood when the agent asked, <Moment at={detail.timestamp} />.
      </p>
      <LimitLines limits={limits} documents={documents} looked={lookedOf(detail)} />
    </section>
  );
}
