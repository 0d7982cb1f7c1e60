/** The first page after sign-in: what waits, how today compares, and what needs attention. */
import { useMemo } from 'preact/hooks';
import { CallerText } from '../components/caller-text.tsx';
import { ClockNote } from '../components/clock-note.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { href } from '../state/route.ts';
import { useSession } from '../state/session.ts';
import { useLoad } from '../use-load.ts';
import { agentRates } from './agents-parts/agent-rates.ts';
import { AgentTable } from './agents-parts/agent-table.tsx';
import { Attention } from './overview-parts/attention.tsx';
import { Health } from './overview-parts/health.tsx';
import { OutcomesToday } from './overview-parts/outcomes-today.tsx';
import { SetUp } from './overview-parts/set-up.tsx';
import { readBundle } from './policies-parts/policies-api.ts';
import { isFailing, listWebhooks } from './webhooks-parts/webhooks-api.ts';
import { listKeys } from './workspace-parts/keys-api.ts';
import { observersOf } from './workspace-parts/observed.ts';
import './pieces.css';
import './decisions-parts/decisions.css';
import './workspace-parts/workspace.css';
import './overview-parts/overview.css';

export default function Overview() {
  const session = useSession();
  const keys = useLoad('keys', listKeys);
  const bundle = useLoad('bundle', readBundle);
  const rates = useLoad('rates', (signal) => agentRates(2, signal));
  // Only owners see webhooks; for others this stays empty.
  const webhooks = useLoad('webhooks', listWebhooks);
  const failing = (webhooks.value?.webhooks ?? []).filter(
    (webhook) => isFailing(webhook) || webhook.disabledBecause === 'failing',
  );
  const failure = keys.failure ?? bundle.failure ?? rates.failure;
  const observers = useMemo(() => observersOf(bundle.value?.documents ?? [], Date.now()), [bundle.value]);
  const known = keys.value?.keys ?? [];
  return (
    <div class="page">
      <div class="row title-row">
        <h1>
          <CallerText text={session?.workspace.name ?? ''} />
        </h1>
        <a class="small-text" href={href('/new-workspace')}>
          Create another workspace
        </a>
      </div>
      <ClockNote />
      {failure !== null && (
        <ErrorNote
          failure={failure}
          onRetry={() => {
            for (const each of [keys, bundle, rates]) each.reload();
          }}
        />
      )}
      {keys.value !== null && bundle.value !== null && <SetUp keys={known} bundle={bundle.value} />}
      <OutcomesToday />
      <div class="two">
        {/* Names first: an agent is never shown by its ID for a moment. */}
        <Attention
          keys={known}
          rates={keys.value === null ? null : rates.value}
          observers={observers}
          failing={failing}
        />
        <Health />
      </div>
      <section class="observed-list" aria-labelledby="agents">
        <div class="row">
          <h2 id="agents">Agents, today and yesterday</h2>
          <a href={href('/agents')}>All agents</a>
        </div>
        {rates.value === null ? (
          rates.failure === null && <Skeleton />
        ) : (
          <AgentTable rates={rates.value} keys={known} caption="Agents, today and yesterday" />
        )}
      </section>
    </div>
  );
}
