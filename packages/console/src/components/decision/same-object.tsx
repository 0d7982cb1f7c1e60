/** Other decisions about the same object, each with its value: they show what became of a paused write. */

import type { DecisionSummary } from '@writecheck/api';
import type { Failure } from '../../api.ts';
import { href } from '../../state/route.ts';
import { DecisionBadge } from '../decision-badge.tsx';
import { ErrorNote } from '../error-note.tsx';
import { Moment } from '../moment.tsx';
import { Skeleton } from '../page.tsx';
import { reasonInShort } from './beyond-limit.ts';
import { intentOf, keptDetail, useDetails } from './details.ts';
import { reasonLabel } from './reason-labels.ts';
import { Amount, Value } from './row-values.tsx';
import { WriteTitle } from './write-title.tsx';

const SHOWN_MAX = 5;
const NOTHING: readonly never[] = [];

/** A look-alike is told by its values. */
function reasonOf({ decision_id, reason_code }: DecisionSummary): string {
  const detail = keptDetail(decision_id);
  return detail === undefined ? reasonLabel(reason_code) : reasonInShort(detail);
}

export function SameObject({
  system,
  objectRef,
  decisions,
  areMore,
  failure,
  onRetry,
}: {
  readonly system: string;
  readonly objectRef: string;
  /** Null while they load. */
  readonly decisions: readonly DecisionSummary[] | null;
  readonly areMore: boolean;
  readonly failure: Failure | null;
  readonly onRetry: () => void;
}) {
  const shown = decisions?.slice(0, SHOWN_MAX) ?? NOTHING;
  useDetails(shown);
  return (
    <section class="card" aria-labelledby="same-object">
      <div class="row">
        <h2 id="same-object">Other decisions about this object</h2>
        <a class="no-print" href={href('/decisions', { system, objectRef, time: 'all' })}>
          Show all
        </a>
      </div>
      {decisions === null && <ErrorNote failure={failure} onRetry={onRetry} />}
      {decisions === null ? (
        failure === null && <Skeleton lines={3} />
      ) : decisions.length === 0 ? (
        <p class="quiet">{areMore ? 'None among the newest with this reference.' : 'None.'}</p>
      ) : (
        <ul class="brief">
          {shown.map((row) => (
            <li key={row.decision_id} class="brief-row">
              <DecisionBadge decision={row.decision} />
              <span>
                <a href={href(`/decisions/${row.decision_id}`)}>
                  <WriteTitle target={row} isBrief />
                </a>
                <span class="row small-text">
                  <Value intent={intentOf(row)} />
                  <Amount intent={intentOf(row)} />
                </span>
              </span>
              <span class="quiet small-text">
                {reasonOf(row)} · <Moment at={row.timestamp} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
