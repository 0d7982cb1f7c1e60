/** The bundle: written, checked as one types, held against the running one, and applied. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { DecisionGlyph } from '../components/decision-badge.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Told } from '../components/told.tsx';
import { useSession } from '../state/session.ts';
import { useStore } from '../state/store.ts';
import { useLoad } from '../use-load.ts';
import { BundleChanges } from './policies-parts/bundle-changes.tsx';
import { draft } from './policies-parts/draft.ts';
import type { TestResult } from './policies-parts/examine-policies.ts';
import { Examples, LooseningDialog } from './policies-parts/loosening-dialog.tsx';
import { applyBundle, type Bundle, readBundle } from './policies-parts/policies-api.ts';
import { print } from './policies-parts/policy-desk.ts';
import { PolicyPlaces } from './policies-parts/sub-pages.tsx';
import { useExamined } from './policies-parts/use-examined.ts';
import { goToLine, YamlEditor } from './policies-parts/yaml-editor.tsx';
import './pieces.css';
import './policies-parts/policies.css';

const EDITOR = 'policy-editor';

export default function Policies() {
  const { value: bundle, failure, reload } = useLoad('bundle', readBundle);
  return (
    <div class="page">
      <div class="row title-row">
        <h1>Policies</h1>
        <PolicyPlaces at="/policies" />
      </div>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {bundle !== null && <Editing bundle={bundle} onApplied={reload} />}
    </div>
  );
}

function Editing({ bundle, onApplied }: { readonly bundle: Bundle; readonly onApplied: () => void }) {
  const workspace = useSession()?.workspace.id ?? '';
  const kept = useStore(draft);
  const text = kept?.workspace === workspace ? kept.text : null;
  const setText = (next: string) => draft.set({ workspace, text: next });
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isApplying, setIsApplying] = useState(false);
  const [applied, setApplied] = useState<number | null>(null);
  const loadRunning = async () =>
    setText(bundle.revision === 0 ? FIRST : ((await print(bundle.documents)) ?? ''));
  useEffect(() => {
    if (text === null) loadRunning();
  }, [workspace, bundle.digest]);
  const { examined, isCurrent } = useExamined(text, bundle.documents, workspace);
  const faults = examined?.kind === 'invalid' ? examined.faults : [];
  const faultLines = useMemo(() => new Set(faults.map(({ line }) => line)), [faults]);
  if (text === null) return <p class="quiet">Loading …</p>;

  const apply = async (isConfirmed: boolean) => {
    setFailure(null);
    setApplied(null);
    setIsApplying(true);
    const outcome = await applyBundle(text, bundle.digest, isConfirmed);
    setIsApplying(false);
    if (outcome.kind === 'failure') {
      setFailure(outcome);
      if (outcome.code === 'revision_conflict') onApplied();
      return;
    }
    setApplied(outcome.value.revision);
    onApplied();
  };
  const isRunning = examined?.kind === 'valid' && examined.digest === bundle.digest;
  const failing = examined?.kind === 'valid' ? examined.tests.filter(({ faults }) => faults.length > 0) : [];
  const mayApply = examined?.kind === 'valid' && isCurrent && failing.length === 0 && !isRunning;
  return (
    <>
      <p class="quiet">
        {bundle.revision === 0 ? (
          'No bundle runs yet. The first one needs no confirmation.'
        ) : (
          <>
            Revision <strong>{bundle.revision}</strong> runs, <code>{bundle.digest?.slice(0, 19)}…</code>.
            Comments are not kept by the service; keep the files where your code is.
          </>
        )}
      </p>
      <YamlEditor id={EDITOR} value={text} faultLines={faultLines} onInput={setText} />
      <div class="row editor-bar">
        <div id="editor-findings" role="status">
          {examined === null ? (
            <span class="quiet">Looking at it …</span>
          ) : examined.kind === 'invalid' ? (
            <span class="verdict block">
              <DecisionGlyph decision="block" />
              {faults.length === 1 ? 'One fault' : `${faults.length} faults`}
            </span>
          ) : (
            <span class="verdict allow">
              <DecisionGlyph decision="allow" />
              {examined.documents === 1 ? 'One document' : `${examined.documents} documents`}
              {isRunning ? ', as it runs' : ', valid'}
            </span>
          )}
        </div>
        <button type="button" class="primary" disabled={!mayApply || isApplying} onClick={() => apply(false)}>
          {isApplying ? 'Applying …' : 'Apply'}
        </button>
        {!isRunning && (
          <button type="button" onClick={loadRunning}>
            {bundle.revision === 0 ? 'Start over' : 'Back to the running one'}
          </button>
        )}
      </div>
      {applied !== null && (
        <p class="note note-good" role="status">
          Revision {applied} runs now; the next check is decided by it.
        </p>
      )}
      {failure !== null && failure.code === 'loosening_unconfirmed' ? (
        <LooseningDialog
          failure={failure}
          action="Apply"
          onConfirm={() => apply(true)}
          onCancel={() => setFailure(null)}
        />
      ) : (
        failure !== null && <ErrorNote failure={failure} />
      )}
      {faults.length > 0 && (
        <section class="card" aria-labelledby="faults">
          <h2 id="faults">Faults</h2>
          <Placed items={faults} />
        </section>
      )}
      {examined?.kind === 'valid' && (
        <>
          {examined.warnings.length > 0 && (
            <section class="card" aria-labelledby="warnings">
              <h2 id="warnings">Most likely a mistake</h2>
              <Placed items={examined.warnings} />
            </section>
          )}
          <Tests tests={examined.tests} />
          {!isRunning && examined.changes.length > 0 && (
            <section class="card" aria-labelledby="changes">
              <h2 id="changes">
                {bundle.revision === 0 ? 'What it brings' : `Against revision ${bundle.revision}`}
              </h2>
              {bundle.revision > 0 && examined.examples.length > 0 && (
                <div class="loosened">
                  <h3>Stopped today, and no longer with this</h3>
                  <Examples examples={examined.examples} />
                </div>
              )}
              <BundleChanges changes={examined.changes} />
            </section>
          )}
        </>
      )}
    </>
  );
}

const MOST_PLACED = 50;

function Placed({
  items,
}: {
  readonly items: readonly { readonly line: number; readonly message: string }[];
}) {
  return (
    <ul class="placed">
      {items.slice(0, MOST_PLACED).map(({ line, message }, at) => (
        <li key={at}>
          <button type="button" class="small" onClick={() => goToLine(EDITOR, line)}>
            line {line}
          </button>{' '}
          <span>
            <Told text={message} />
          </span>
        </li>
      ))}
      {items.length > MOST_PLACED && <li class="quiet">and {items.length - MOST_PLACED} more</li>}
    </ul>
  );
}

function Tests({ tests }: { readonly tests: readonly TestResult[] }) {
  if (tests.length === 0) return null;
  const failed = tests.filter(({ faults }) => faults.length > 0);
  return (
    <section class="card" aria-labelledby="tests">
      <div class="row">
        <h2 id="tests">Tests</h2>
        <span class={`verdict ${failed.length === 0 ? 'allow' : 'block'}`} role="status">
          <DecisionGlyph decision={failed.length === 0 ? 'allow' : 'block'} />
          {failed.length === 0
            ? `all ${tests.length} pass`
            : `${failed.length} of ${tests.length} ${failed.length === 1 ? 'fails' : 'fail'}`}
        </span>
      </div>
      <ul class="checks">
        {[...failed, ...tests.filter((test) => !failed.includes(test))].map((test) => (
          <li key={test.id} class={test.faults.length === 0 ? 'allow' : 'block'}>
            <span class="check-mark">
              <DecisionGlyph decision={test.faults.length === 0 ? 'allow' : 'block'} />
            </span>
            <span>
              {test.id}{' '}
              <button type="button" class="small" onClick={() => goToLine(EDITOR, test.line)}>
                line {test.line}
                <span class="hidden">, where the test {test.id} begins</span>
              </button>
              {test.faults.map((fault) => (
                <span key={fault} class="fault-line">
                  <Told text={fault} />
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What to start from: one rule, and a test that shows what it does. */
const FIRST = `# Who may change a customer's e-mail address: somebody whose identity was checked in the last 15 minutes.
kind: ControlPack
id: core
controls:
  identity: { maxAge: 15m, sources: [okta] }
---
kind: Profile
id: customer-email
version: "1"
controlPack: core
match: { system: crm, objectType: customer, field: email }
require: [identity]
---
kind: PolicyTest
id: without an identity check the write pauses
now: "2026-11-15T12:00:00Z"
intent:
  system: crm
  objectType: customer
  objectRef: C-1
  field: email
  agentValue: ada@example.com
expect: { decision: pause }
`;
