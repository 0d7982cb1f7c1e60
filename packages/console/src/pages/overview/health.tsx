/** Whether the service can record decisions, and how long its log is. */
import { call } from '../../api.ts';
import { href } from '../../state/route.ts';
import { useEvery } from '../../use-every.ts';
import { useLoad } from '../../use-load.ts';

const EVERY_MS = 15_000;

export function Health() {
  const ready = useLoad('ready', (signal) => call('GET /readyz', { signal, key: null }));
  const logs = useLoad('logs', (signal) =>
    call('GET /v1/audit/logs', { signal, key: null, has: { logs: 'array' } }),
  );
  useEvery(EVERY_MS, !ready.isLoading, ready.reload);
  const size = (logs.value?.logs ?? []).reduce((total, log) => total + log.size, 0);
  return (
    <section class="card" aria-labelledby="health">
      <h2 id="health">Service</h2>
      <dl class="facts">
        <div>
          <dt>Status</dt>
          <dd aria-live="polite">
            {ready.failure !== null ? (
              <strong>Not ready: {ready.failure.message}</strong>
            ) : ready.value === null ? (
              <span class="quiet">checking</span>
            ) : (
              'Ready: responds and records'
            )}
          </dd>
        </div>
        <div>
          <dt>Log</dt>
          <dd>
            {logs.value === null ? (
              <span class="quiet">–</span>
            ) : (
              <a href={href('/audit')}>{size.toLocaleString('en')} entries</a>
            )}
          </dd>
        </div>
      </dl>
    </section>
  );
}
