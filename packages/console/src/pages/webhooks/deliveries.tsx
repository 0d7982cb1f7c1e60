/** What was sent to a webhook, newest first. */

import { call } from '../../api.ts';
import { stateInWords } from '../../calls/webhooks.ts';
import { counted } from '../../components/counted.ts';
import { ACTIONS, DataTable } from '../../components/data-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { Unloaded } from '../../components/page.tsx';
import { useEvery, useLoad } from '../../use-load.ts';

const LIVE_EVERY_MS = 3_000;

export function Deliveries({
  id,
  isBusy,
  onAgain,
}: {
  readonly id: string;
  readonly isBusy: boolean;
  readonly onAgain: (delivery: string) => void;
}) {
  const { value, failure, isLoading, reload } = useLoad(`deliveries ${id}`, (signal) =>
    call('GET /v1/webhooks/{id}/deliveries', { in: { id }, signal }),
  );
  useEvery(LIVE_EVERY_MS, !isLoading, reload);
  if (value === null) return <Unloaded load={{ failure, reload }} lines={3} />;
  if (value.deliveries.length === 0) return <p class="quiet">Nothing was sent yet.</p>;
  return (
    <DataTable
      kind=""
      caption="Deliveries, newest first"
      rows={value.deliveries}
      idOf={({ id: delivery }) => delivery}
      columns={[
        { head: 'Event', cell: ({ type }) => <code>{type}</code> },
        {
          head: 'State',
          cell: (delivery) => (
            <>
              {stateInWords(delivery)}
              <span class="key-line small-text quiet">
                {counted(delivery.attempts, 'attempt')}
                {delivery.nextAt !== null && (
                  <>
                    , next at <Moment at={delivery.nextAt} />
                  </>
                )}
              </span>
            </>
          ),
        },
        { head: 'When', kind: 'wide-only', cell: ({ at }) => <Moment at={at} as="ago" /> },
        {
          ...ACTIONS,
          cell: (delivery) => (
            <button type="button" class="small" disabled={isBusy} onClick={() => onAgain(delivery.id)}>
              Send again<span class="hidden"> {delivery.type}</span>
            </button>
          ),
        },
      ]}
    />
  );
}
