/** The first page after sign-in: what waits, how today compares, and what needs attention. */
import { useMemo } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { listKeys } from '../../calls/keys.ts';
import { type Bundle, readBundle } from '../../calls/policies.ts';
import { isFailing, listWebhooks } from '../../calls/webhooks.ts';
import { agentStops } from '../../components/agent/agent-stops.ts';
import { ClockNote } from '../../components/clock-note.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { isAgent } from '../../components/key-limits.ts';
import { PageHead, Skeleton } from '../../components/page.tsx';
import { type Observer, observersOf } from '../../components/policy/observed.ts';
import { CallerText } from '../../components/text.tsx';
import { href } from '../../state/route.ts';
import { useRight, useSession } from '../../state/session.ts';
import { together, useLoad } from '../../use-load.ts';
import { Attention } from './attention.tsx';
import { Health } from './health.tsx';
import { LookedRight } from './looked-right.tsx';
import { OutcomesToday } from './outcomes-today.tsx';
import { SetUp } from './set-up.tsx';
import { StoppedAgents } from './stopped-agents.tsx';

export default function Overview() {
  const session = useSession();
  const bundle = useLoad('bundle', readBundle);
  const observers = useMemo(() => observersOf(bundle.value?.documents ?? [], Date.now()), [bundle.value]);
  const maySeeAgents = useRight('listKeys');
  const mayManage = useRight('createKey');
  return (
    <div class="page">
      <PageHead title={<CallerText text={titleFor(session?.workspace.name ?? '')} />} />
      <ClockNote />
      <LookedRight />
      {isNews(bundle.failure) && <ErrorNote failure={bundle.failure} onRetry={bundle.reload} />}
      {maySeeAgents ? (
        <WithAgents bundle={bundle.value} observers={observers} maySetUp={mayManage} />
      ) : (
        <>
          <OutcomesToday />
          <div class="two even">
            <Attention observers={observers} isKnown={bundle.value !== null} />
            <Health />
          </div>
        </>
      )}
      {mayManage && (
        <p>
          <a class="small-text" href={href('/new-workspace')}>
            Create another workspace
          </a>
        </p>
      )}
    </div>
  );
}

/** A workspace that nobody named is no title. */
function titleFor(workspace: string): string {
  return workspace === 'default' ? 'Overview' : workspace;
}

/** The figures and the banner already say that the service is away. */
function isNews(failure: Failure | null): failure is Failure {
  return failure !== null && failure.code !== 'unreachable';
}

/** The parts that need keys and their figures, which only owners and auditors may read. */
function WithAgents({
  bundle,
  observers,
  maySetUp,
}: {
  readonly bundle: Bundle | null;
  readonly observers: readonly Observer[];
  readonly maySetUp: boolean;
}) {
  const keys = useLoad('keys', listKeys);
  const stops = useLoad('stops', agentStops);
  const webhooks = useLoad('webhooks', listWebhooks);
  const failing = (webhooks.value?.webhooks ?? []).filter(
    (webhook) => isFailing(webhook) || webhook.disabledBecause === 'failing',
  );
  const failure = [keys.failure, stops.failure].find(isNews) ?? null;
  const known = keys.value?.keys ?? [];
  // Before the first check every figure is 0 and says nothing.
  const isUsed = keys.value === null || known.some((key) => isAgent(key) && key.lastUsedAt !== null);
  return (
    <>
      <ErrorNote failure={failure} onRetry={together(keys, stops).reload} />
      {maySetUp && keys.value !== null && bundle !== null && <SetUp keys={known} bundle={bundle} />}
      {isUsed && <OutcomesToday />}
      <div class="two even">
        <Attention
          keys={known}
          stops={stops.value}
          observers={observers}
          failing={failing}
          isKnown={keys.value !== null && stops.value !== null && bundle !== null}
        />
        <Health />
      </div>
      {isUsed && (
        <section class="stack" aria-labelledby="agents">
          <div class="row">
            <h2 id="agents">Agents with stopped writes, last 24 hours</h2>
            <a href={href('/agents')}>All agents</a>
          </div>
          {stops.value === null ? (
            stops.failure === null && <Skeleton />
          ) : (
            <StoppedAgents stops={stops.value} />
          )}
        </section>
      )}
    </>
  );
}
