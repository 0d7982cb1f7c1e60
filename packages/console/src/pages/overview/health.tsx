/** Whether the service can record decisions, and how long its log is. */

import { call } from '../../api.ts';
import { Fact } from '../../components/fact.tsx';
import { Section } from '../../components/page.tsx';
import { isAway } from '../../state/connection.ts';
import { href } from '../../state/route.ts';
import { useStore } from '../../state/store.ts';
import { useEvery, useLoad } from '../../use-load.ts';

const EVERY_MS = 15_000;

export function Health() {
  const ready = useLoad('ready', (signal) => call('GET /readyz', { signal, key: null }));
  const logs = useLoad('logs', (signal) => call('GET /v1/audit/logs', { signal, key: null }));
  const away = useStore(isAway);
  useEvery(EVERY_MS, !ready.isLoading, ready.reload);
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
