/** Other decisions about the same object, which show what became of a paused write. */
import { DecisionBadge } from '../../components/decision-badge.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';
import { listDecisions } from './decisions-api.ts';
import { reasonLabel } from './reason-labels.ts';
import { WriteTitle } from './write-title.tsx';

const SHOWN_MAX = 5;
const LOOKED_THROUGH = 50;

export function SameObject({
  system,
  objectType,
  objectRef,
  except,
}: {
  readonly system: string;
  readonly objectType: string | null;
  readonly objectRef: string;
  readonly except: string;
}) {
  const { value, failure, reload } = useLoad(`object ${JSON.stringify([system, objectRef])}`, (signal) =>
    listDecisions({ system, objectRef, limit: String(LOOKED_THROUGH) }, signal),
  );
  const others = (value?.decisions ?? []).filter(
    (row) => row.decision_id !== except && row.objectType === objectType,
  );
  return (
    <section class="card" aria-labelledby="same-object">
      <div class="row">
        <h2 id="same-object">Other decisions about this object</h2>
        <a class="no-print" href={href('/decisions', { system, objectRef, time: 'all' })}>
          Show all
        </a>
      </div>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {value === null ? (
        failure === null && <Skeleton lines={3} />
      ) : others.length === 0 ? (
        <p class="quiet">
          {value.nextCursor === null
            ? 'None.'
            : `None among the newest ${LOOKED_THROUGH} with this reference.`}
        </p>
      ) : (
        <ul class="brief">
          {others.slice(0, SHOWN_MAX).map((row) => (
            <li key={row.decision_id} class="brief-row">
              <DecisionBadge decision={row.decision} />
              <a href={href(`/decisions/${row.decision_id}`)}>
                <WriteTitle target={row} isBrief />
              </a>
              <span class="quiet small-text">
                {reasonLabel(row.reason_code)} · <Moment at={row.timestamp} as="ago" />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
