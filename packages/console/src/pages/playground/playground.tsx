/** Edit an intent, see the predicted decision and its reasons, and send it. */
import type { DecisionDetail } from '@writecheck/api';
import type { JsonObject } from '@writecheck/contract';
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../api.ts';
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
import { type Draft, draftOf, effectiveIntent, withAddedItem } from './draft.ts';
import { now } from './evidence-list.tsx';
import { builtInExamples, examplesFromTests } from './examples.ts';
import { factsToFill } from './facts-to-fill.ts';
import { IntentForm, shapeOf } from './intent-form.tsx';
import { JsonEditor } from './json-editor.tsx';
import { Outcome, type Sent } from './outcome.tsx';
import type { Drawn } from './predict.ts';
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
  const { value, failure, reload } = useLoad(decision, (signal) =>
    call('GET /v1/decisions/{id}', { in: { id: decision }, signal }),
  );
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
  const [draft, setDraft] = useState<Draft>(() => draftOf(first));
  const [isJson, setIsJson] = useState(false);
  // A change from outside the editor resets its text.
  const [edition, setEdition] = useState(0);
  // INVARIANT: the page predicts and sends exactly the text it shows, and sends nothing while that is invalid.
  const [isUnreadable, setIsUnreadable] = useState(false);
  const shape = shapeOf(draft.intent);
  const schema = useLoad(`schema ${shape}`, (signal) =>
    call(`GET /v1/schemas/${shape}.v1.json`, { key: null, signal }),
  );
  const [sent, setSent] = useState<Sent | null>(null);
  const { isBusy, failure, act, forget } = useAct();
  const key = useStore(checkingKey);
  const intent = useMemo(() => effectiveIntent(draft), [draft]);

  const missing = bundle.failure ?? schema.failure;
  const loadAgain = () => {
    bundle.reload();
    schema.reload();
  };
  const replace = (next: Draft) => {
    setDraft(next);
    setEdition((count) => count + 1);
    setIsUnreadable(false);
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
  const switchView = (toJson: boolean) => {
    if (toJson === isJson) return;
    setIsJson(toJson);
    // The form shows the last valid intent.
    setIsUnreadable(false);
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
        {recorded !== undefined && (
          <p class="quiet">
            Loaded from{' '}
            <a href={href(`/decisions/${recorded.decision_id}`)}>
              <code>{recorded.decision_id}</code>
            </a>
            , recorded as <DecisionBadge decision={recorded.response.decision} />. Evidence ages are as of
            now; limits start as they were recorded.
          </p>
        )}
      </div>
      {missing !== null && <ErrorNote failure={missing} onRetry={loadAgain} />}
      <div class="bench">
        <section class="card" aria-label="Intent">
          <div class="row title-row">
            <h2>Intent</h2>
            <Segmented title="View" options={['Form', 'As JSON']} isSecond={isJson} onChoose={switchView} />
          </div>
          <Examples
            documents={bundle.value?.documents ?? []}
            isOwn={recorded !== undefined}
            onChoose={begin}
          />
          {isJson ? (
            <JsonEditor
              key={edition}
              intent={intent}
              onChange={(edited) => {
                setDraft(draftOf(edited));
                setIsUnreadable(false);
              }}
              onUnreadable={() => setIsUnreadable(true)}
            />
          ) : (
            schema.value !== null && <IntentForm draft={draft} schema={schema.value} onChange={setDraft} />
          )}
        </section>
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

/** One of two. */
function Segmented({
  title,
  options,
  isSecond,
  onChoose,
}: {
  readonly title: string;
  readonly options: readonly [first: string, second: string];
  readonly isSecond: boolean;
  readonly onChoose: (isSecond: boolean) => void;
}) {
  return (
    <fieldset class="segmented">
      <legend class="hidden">{title}</legend>
      {options.map((text, at) => (
        <button
          key={text}
          type="button"
          class="small"
          aria-pressed={isSecond === (at === 1)}
          onClick={() => onChoose(at === 1)}
        >
          {text}
        </button>
      ))}
    </fieldset>
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

interface ExamplesProps {
  readonly documents: readonly unknown[];
  /** Whether the intent came from a decision rather than an example. */
  readonly isOwn: boolean;
  readonly onChoose: (intent: JsonObject) => void;
}

function Examples({ documents, isOwn, onChoose }: ExamplesProps) {
  const groups = useMemo(() => {
    const nowMs = Date.now();
    return [
      { name: 'Examples', examples: builtInExamples(nowMs) },
      { name: 'Tests of your policies', examples: examplesFromTests(documents, nowMs) },
    ].filter(({ examples }) => examples.length > 0);
  }, [documents]);
  const all = groups.flatMap(({ examples }) => examples);
  return (
    <label>
      <span>Start from</span>
      <select
        onChange={(event) => {
          const chosen = all.find(({ name }) => name === event.currentTarget.value);
          if (chosen !== undefined) onChoose(chosen.intent);
        }}
      >
        {isOwn && <option value="">the recorded intent</option>}
        {groups.map(({ name, examples }) => (
          <optgroup key={name} label={name}>
            {examples.map((each) => (
              <option key={each.name} value={each.name}>
                {each.name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}
