/** What was sent to a webhook, newest first. */
import { ErrorNote } from '../../components/error-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useLoad } from '../../use-load.ts';
import { useEvery } from '../decisions-parts/use-decision-pages.ts';
import { listDeliveries, stateInWords } from './webhooks-api.ts';

const LIVE_EVERY_MS = 3_000;

export function Deliveries({
  id,
  onAgain,
}: {
  readonly id: string;
  readonly onAgain: (delivery: string) => void;
}) {
  const { value, failure, isLoading, reload } = useLoad(`deliveries ${id}`, (signal) =>
    listDeliveries(id, signal),
  );
  useEvery(LIVE_EVERY_MS, !isLoading, reload);
  if (value === null)
    return failure === null ? <Skeleton lines={3} /> : <ErrorNote failure={failure} onRetry={reload} />;
  if (value.deliveries.length === 0) return <p class="quiet">Nothing was sent yet.</p>;
  return (
    <table>
      <caption class="hidden">Deliveries, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Event</th>
          <th scope="col">State</th>
          <th scope="col" class="wide-only">
            When
          </th>
          <th scope="col">
            <span class="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {value.deliveries.map((delivery) => (
          <tr key={delivery.id}>
            <td>
              <code>{delivery.type}</code>
            </td>
            <td>
              {stateInWords(delivery)}
              <span class="key-line small-text quiet">
                {delivery.attempts === 1 ? '1 attempt' : `${delivery.attempts} attempts`}
                {delivery.nextAt !== null && (
                  <>
                    , next at <Moment at={delivery.nextAt} />
                  </>
                )}
              </span>
            </td>
            <td class="wide-only">
              <Moment at={delivery.at} as="ago" />
            </td>
            <td class="actions">
              <button type="button" class="small" onClick={() => onAgain(delivery.id)}>
                Send again<span class="hidden"> {delivery.type}</span>
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
