/** Edit an intent, see the predicted decision and its reasons, and send it. */
import type { DecisionDetail } from '@writecheck/api';
import type { JsonObject } from '@writecheck/contract';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { readDecision } from '../../calls/decisions.ts';
import { DecisionBadge } from '../../components/decision-badge.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/page.tsx';
import { href, usePlace } from '../../state/route.ts';
import { checkingKey, type Session, useSession } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';
import { triedIntent } from '../../state/tried-intent.ts';
import { useAct } from '../../use-act.ts';
import { useLoad } from '../../use-load.ts';
import { CheckingKey } from './checking-key.tsx';
import { draftOf, withAddedItem } from './draft.ts';
import { now } from './evidence-list.tsx';
import { builtInExamples } from './examples.ts';
import { factsToFill } from './facts-to-fill.ts';
import { IntentCard, useEdited } from './intent-card.tsx';
import { shapeOf } from './intent-form.tsx';
import { Outcome, type Sent } from './outcome.tsx';
import type { Drawn } from './predict.ts';
import { Segmented } from './segmented.tsx';
import { SUPPOSED } from './supposed.ts';
import { useBundles } from './use-bundle.ts';

export default function Playground() {
  const session = useSession();
  const { query } = usePlace();
  const decision = query.get('decision');
  const isFromTest = query.get('from') === 'test';
  if (session === null) return null;
  if (decision !== null) return <FromDecision key={decision} session={session} decision={decision} />;
  const tried = isFromTest ? triedIntent.get() : null;
  const [allowed, paused] = builtInExamples(Date.now());
  const sample = query.get('sample') === 'paused' ? paused! : allowed!;
  return <Workbench session={session} first={tried ?? sample.intent} />;
}

interface BenchProps {
  readonly session: Session;
  /** The intent to start with. */
  readonly first: JsonObject;
  /** The recorded decision it came from. */
  readonly recorded?: DecisionDetail;
}

/** Starts with the intent of a recorded decision. */
function FromDecision({ session, decision }: { readonly session: Session; readonly decision: string }) {
  const { value, failure, reload } = useLoad(decision, (signal) => readDecision(decision, signal));
  if (value !== null)
    return <Workbench session={session} first={value.intent as JsonObject} recorded={value} />;
  return (
    <div class="page">
      <h1>Playground</h1>
      {failure === null ? <Skeleton lines={8} /> : <ErrorNote failure={failure} onRetry={reload} />}
    </div>
  );
}

function Workbench({ session, first, recorded }: BenchProps) {
  const bundle = useBundles(session.workspace.id);
  const [wantsDraft, setWantsDraft] = useState(false);
  const isDraft = wantsDraft && bundle.drafted !== null;
  const policy = isDraft ? bundle.drafted : bundle.live;
  const edited = useEdited(first);
  const { draft, intent, isUnreadable, replace } = edited;
  const shape = shapeOf(draft.intent);
  const schema = useLoad(`schema ${shape}`, (signal) =>
    call(`GET /v1/schemas/${shape}.v1.json`, { key: null, signal }),
  );
  const [sent, setSent] = useState<Sent | null>(null);
  const { isBusy, failure, act, forget } = useAct();
  const key = useStore(checkingKey);
  const loadAgain = () => {
    bundle.reload();
    schema.reload();
  };
  const begin = (chosen: JsonObject) => {
    replace(draftOf(chosen));
    setSent(null);
    forget();
  };
  const send = () =>
    act(call('POST /v1/check-write', { key, json: intent }), (response) => setSent({ intent, response }));
  const supply = (controlId: string, source: string, more = {}) =>
    replace(withAddedItem(draft, { controlId, source, result: 'PASS', checkedAt: now(), ...more }));
  const supplyFacts = (controlId: string, source: string) => {
    const facts = factsToFill(policy?.documents ?? [], intent, controlId);
    supply(controlId, source, { attestation: SUPPOSED, facts });
  };
  return (
    <div class="page wide">
      <div class="lead">
        <h1>Playground</h1>
        <p class="quiet">
          Runs the policies of <strong>{session.workspace.name}</strong> in your browser. Nothing is recorded
          until you send it.
        </p>
        {bundle.drafted !== null && (
          <Segmented
            title="Policy to try"
            options={['Live policy', 'Your draft']}
            isSecond={isDraft}
            onChoose={setWantsDraft}
          />
        )}
        {recorded !== undefined && <Origin recorded={recorded} />}
      </div>
      <ErrorNote failure={bundle.failure ?? schema.failure} onRetry={loadAgain} />
      <div class="bench">
        <IntentCard
          edited={edited}
          schema={schema.value}
          documents={bundle.value?.documents ?? []}
          isOwn={recorded !== undefined}
          onBegin={begin}
        />
        <section class="stack far bench-result" aria-label="Decision">
          {policy?.snapshot != null && (
            <Outcome
              draft={draft}
              intent={intent}
              ground={{ snapshot: policy.snapshot, workspace: session.workspace.id }}
              policyName={isDraft ? 'with your draft' : nameOf(bundle.value?.revision ?? 0)}
              documents={policy.documents}
              sent={sent}
              drawnFirst={drawnIn(recorded)}
              isOutdated={isUnreadable}
              onSupply={supply}
              onFacts={supplyFacts}
            />
          )}
          {policy?.snapshot === null && (
            <p class="note note-bad">
              {isDraft ? (
                <>
                  Your draft has errors. <a href={href('/policies')}>Fix them</a> to try it.
                </>
              ) : (
                'This page can’t read the live policies. Reload it.'
              )}
            </p>
          )}
          <div class="card">
            <div class="row">
              <button
                type="button"
                class="primary"
                disabled={key === null || isBusy || isUnreadable}
                onClick={send}
              >
                {isBusy ? 'Sending …' : 'Send to the service'}
              </button>
              <span class="quiet small-text">
                The service decides{isDraft && ' with the live policy'}, records and counts it.
              </span>
            </div>
            <CheckingKey />
            <ErrorNote failure={failure} />
          </div>
        </section>
      </div>
    </div>
  );
}

function Origin({ recorded }: { readonly recorded: DecisionDetail }) {
  return (
    <p class="quiet">
      Loaded from{' '}
      <a href={href(`/decisions/${recorded.decision_id}`)}>
        <code>{recorded.decision_id}</code>
      </a>
      , recorded as <DecisionBadge decision={recorded.response.decision} />. Evidence ages are as of now;
      limits start as they were recorded.
    </p>
  );
}

function nameOf(revision: number): string {
  return revision === 0 ? 'without policies; none applied yet' : `with policy revision ${revision}`;
}

/** How much of each limit was drawn when the decision was made. */
function drawnIn(recorded: DecisionDetail | undefined): Drawn {
  const known = (recorded?.response.limits ?? []).flatMap(({ id, drawn }) =>
    drawn === null ? [] : [[id, drawn] as const],
  );
  return Object.fromEntries(known);
}
