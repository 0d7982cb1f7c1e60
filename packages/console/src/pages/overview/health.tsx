/** Whether the service can record decisions, when it last did, and how long its log is. */

import { call } from '../../api.ts';
import { listDecisions } from '../../calls/decisions.ts';
import { Fact } from '../../components/fact.tsx';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/page.tsx';
import { isAway } from '../../state/connection.ts';
import { href } from '../../state/route.ts';
import { useStore } from '../../state/store.ts';
import { useEvery, useLoad } from '../../use-load.ts';

const EVERY_MS = 15_000;

export function Health() {
  const ready = useLoad('ready', (signal) => call('GET /readyz', { signal, key: null }));
  const logs = useLoad('logs', (signal) => call('GET /v1/audit/logs', { signal, key: null }));
  const newest = useLoad('newest decision', (signal) => listDecisions({ limit: '1' }, signal));
  const last = newest.value?.decisions[0];
  const away = useStore(isAway);
  useEvery(EVERY_MS, !ready.isLoading, () => {
    ready.reload();
    newest.reload();
  });
  const size = (logs.value?.logs ?? []).reduce((total, log) => total + log.size, 0);
  return (
    <Section title="Service">
      <dl class="facts">
        <Fact name="Status">
          <span aria-live="polite">
            {away ? (
              <span class="quiet">No response</span>
            ) : ready.failure !== null ? (
              <strong>Not ready: {ready.failure.message}</strong>
            ) : ready.value === null ? (
              <span class="quiet">checking</span>
            ) : (
              'Ready: responds and records'
            )}
          </span>
        </Fact>
        <Fact name="Last check">
          {last === undefined ? (
            <span class="quiet">{newest.value === null ? '–' : 'none yet'}</span>
          ) : (
            <a href={href(`/decisions/${last.decision_id}`)}>
              <Moment at={last.timestamp} as="ago" />
            </a>
          )}
        </Fact>
        <Fact name="Log">
          {logs.value === null ? (
            <span class="quiet">–</span>
          ) : (
            <a href={href('/audit')}>{size.toLocaleString('en')} entries</a>
          )}
        </Fact>
      </dl>
    </Section>
  );
}
