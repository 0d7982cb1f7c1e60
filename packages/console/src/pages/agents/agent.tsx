/** One agent: its outcomes by day, why its writes were stopped, and its last writes. */
import type { Key } from '@writecheck/api';
import { useEffect } from 'preact/hooks';
import { listKeys, stateOf } from '../../calls/keys.ts';
import { agentRates } from '../../components/agent/agent-rates.ts';
import { FrozenChip, useFrozen } from '../../components/agent/frozen-chip.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { DecisionTable } from '../../components/decision/decision-table.tsx';
import { useDecisionPages } from '../../components/decision/use-decision-pages.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Fact } from '../../components/fact.tsx';
import { hintOf } from '../../components/key-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { Skeleton } from '../../components/page.tsx';
import { CallerText, RevealedText } from '../../components/text.tsx';
import { freezing } from '../../state/freezing.ts';
import { noteList } from '../../state/last-list.ts';
import { useLookedAt } from '../../state/looked-at.ts';
import { href } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';
import { together, useLoad } from '../../use-load.ts';
import type { PageProps } from '../page.ts';
import { AgentFigures } from './agent-figures.tsx';

export default function Agent({ params }: PageProps) {
  const id = params.id!;
  const keys = useLoad('keys', listKeys);
  const rates = useLoad('rates', agentRates);
  const pages = useDecisionPages(`agent ${id}`, () => ({ keyId: id }), true);
  const all = together(keys, rates, pages);
  const mayFreeze = useRight('createFreeze');
  const mayLift = useRight('liftFreeze');
  const frozen = useFrozen(id);
  const key = keys.value?.keys.find((each) => each.id === id);
  const name = key?.name;
  useEffect(() => {
    if (name !== undefined) noteList(name);
  }, [name]);
  useLookedAt(key === undefined ? null : { label: key.name, what: 'agent', path: `/agents/${id}` });
  if (keys.value !== null && key === undefined) return <NoSuchAgent />;
  return (
    <div class="page">
      <p class="back">
        <a href={href('/agents')}>Agents</a>
      </p>
      <div class="row title-row">
        <div class="row">
          <h1>
            <CallerText text={key?.name ?? id} />
          </h1>
          <FrozenChip keyId={id} />
        </div>
        {key !== undefined && (
          <div class="row">
            <a class="small-text" href={href('/keys')}>
              Rotate or revoke its key
            </a>
            {frozen?.what === 'all' && mayLift && (
              <a class="button" href={href(`/freezes/${frozen.id}`)}>
                Lift the freeze …
              </a>
            )}
            {frozen?.what !== 'all' && mayFreeze && (
              <button type="button" class="danger-text" onClick={() => freezing.set({ keyId: id })}>
                Freeze <RevealedText text={key.name} /> …
              </button>
            )}
          </div>
        )}
      </div>
      <ErrorNote failure={all.failure} onRetry={all.reload} readAt={all.readAt} />
      {key !== undefined && <KeyFacts of={key} />}
      {rates.value === null ? (
        rates.failure === null && <Skeleton lines={8} />
      ) : (
        <AgentFigures rates={rates.value} id={id} />
      )}
      <section class="stack" aria-labelledby="writes">
        <div class="row">
          <h2 id="writes">Last writes</h2>
          <a href={href('/decisions', { keyId: id, time: 'all' })}>Search them</a>
        </div>
        <DecisionTable
          pages={pages}
          caption="Last writes of this agent, newest first"
          hasAgent={false}
          empty={<p class="empty">This agent has not sent a check yet.</p>}
        />
      </section>
    </div>
  );
}

function NoSuchAgent() {
  return (
    <div class="page">
      <p class="back">
        <a href={href('/agents')}>Agents</a>
      </p>
      <h1>Not found</h1>
      <div class="note" role="alert">
        <p>There is no such key in this workspace. It may belong to another one.</p>
        <a class="button" href={href('/agents')}>
          Show all agents
        </a>
      </div>
    </div>
  );
}

function KeyFacts({ of }: { readonly of: Key }) {
  return (
    <dl class="facts">
      <Fact name="Key">
        {of.kind} <code>{hintOf(of)}</code>
      </Fact>
      <Fact name="State">
        <State of={of} />
      </Fact>
      <Fact name="Last used">
        {of.lastUsedAt === null ? <span class="quiet">never</span> : <Moment at={of.lastUsedAt} as="ago" />}
      </Fact>
      <Fact name="Expires">
        {of.expiresAt === null ? <span class="quiet">never</span> : <Moment at={of.expiresAt} as="full" />}
      </Fact>
      <Fact name="Limited to">
        {[...(of.allowedSystems ?? []), ...(of.allowedWorkflows ?? [])].length === 0 ? (
          <span class="quiet">any system and workflow</span>
        ) : (
          <CallerText text={[...(of.allowedSystems ?? []), ...(of.allowedWorkflows ?? [])].join(', ')} />
        )}
      </Fact>
      <Fact name="Key ID">
        <code>{of.id}</code> <CopyButton text={of.id} what="the key ID" />
      </Fact>
    </dl>
  );
}

/** A freeze does not change the state of a revoked or expired key. */
function State({ of }: { readonly of: Key }) {
  const frozen = useFrozen(of.id);
  const state = stateOf(of, Date.now());
  if (frozen === null || state !== 'usable') return <>{state}</>;
  return (
    <>
      {frozen.word} since <Moment at={frozen.createdAt} />{' '}
      <span class="quiet">(the key itself is valid)</span>
    </>
  );
}
