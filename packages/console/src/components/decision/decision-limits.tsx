/** What a recorded decision took of each limit. */
import type { DecisionDetail } from '@writecheck/api';
import { type LimitState, revealedPlain } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import { LimitLines } from '../../picture/limit-lines.tsx';
import { shareOf } from '../../picture/limit-words.ts';
import { Moment } from '../moment.tsx';
import { lookedOf } from './beyond-limit.ts';

/** Nothing if no limit applies. */
export function DecisionLimits({
  detail,
  documents,
  isPart = false,
}: {
  readonly detail: DecisionDetail;
  readonly documents: readonly PolicyDocument[];
  /** Whether a card already surrounds it. */
  readonly isPart?: boolean;
}) {
  const { limits = [] } = detail.response;
  if (limits.length === 0) return null;
  const lines = (
    <>
      <p class="quiet small-text">
        As it stood when the agent asked, <Moment at={detail.timestamp} />.
      </p>
      <LimitLines limits={limits} documents={documents} looked={lookedOf(detail)} />
    </>
  );
  const Title = isPart ? 'h3' : 'h2';
  if (limits.some(isNear))
    return (
      <section class={isPart ? 'of-decision' : 'card'} aria-labelledby="limits">
        <Title id="limits">{limits.length === 1 ? 'Limit' : 'Limits'}</Title>
        {lines}
      </section>
    );
  return (
    <details class={isPart ? 'small-text' : 'card'}>
      <summary>
        {limits.length === 1 ? 'Limit' : 'Limits'}: {limits.map(inShort).join(', ')}
      </summary>
      {lines}
    </details>
  );
}

/** From here on a limit is worth a look. */
const NEAR = 0.8;

function isNear({ beyond, drawn, draw, max }: LimitState): boolean {
  return beyond || drawn === null || draw === null || shareOf(drawn, max) + shareOf(draw, max) >= NEAR;
}

/** Such as "`refunds-a-day` 12 % used after this write". */
function inShort({ id, drawn, draw, max }: LimitState): string {
  const share = shareOf(drawn ?? '0', max) + shareOf(draw ?? '0', max);
  return `${revealedPlain(id)} ${Math.ceil(100 * share)} % used with this write`;
}
