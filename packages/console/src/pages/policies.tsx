/** The policy editor: checks the bundle while typing, compares it with the live one, and applies it. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { DecisionGlyph } from '../components/decision-badge.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Told } from '../components/told.tsx';
import { useSession } from '../state/session.ts';
import { useStore } from '../state/store.ts';
import { useLoad } from '../use-load.ts';
import { BundleChanges } from './policies-parts/bundle-changes.tsx';
import { type Draft, draft, isOutdated } from './policies-parts/draft.ts';
import type { TestResult } from './policies-parts/examine-policies.ts';
import { FIRST_BUNDLE } from './policies-parts/first-bundle.ts';
import { ImpactTrial } from './policies-parts/impact-trial.tsx';
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
  const own = kept?.workspace === workspace ? kept : null;
  const isBehind = own !== null && isOutdated(own, bundle);
  // A text without edits follows the live bundle; edits are never replaced.
  const text = own === null || (isBehind && !own.isEdited) ? null : own.text;
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isApplying, setIsApplying] = useState(false);
  const [applied, setApplied] = useState<number | null>(null);
  const basedOn = { revision: bundle.revision, digest: bundle.digest };
  const loadRunning = async () => {
    const running = bundle.revision === 0 ? FIRST_BUNDLE : ((await print(bundle.documents)) ?? '');
    draft.set({ workspace, text: running, basedOn, isEdited: false });
  };
  const edit = (next: string) => {
    // Earlier results do not apply to the new text.
    setApplied(null);
    setFailure(null);
    draft.set({ workspace, text: next, basedOn: own?.basedOn ?? basedOn, isEdited: true });
  };
  useEffect(() => {
    if (text === null) loadRunning();
  }, [workspace, bundle, text === null]);
  const { examined, isCurrent } = useExamined(text, bundle.documents, workspace);
  const faults = examined?.kind === 'invalid' ? examined.faults : [];
  const faultLines = useMemo(() => new Set(faults.map(({ line }) => line)), [faults]);
  if (own === null || text === null) return <p class="quiet">Loading …</p>;

  const apply = async (isConfirmed: boolean) => {
    setFailure(null);
    setApplied(null);
    setIsApplying(true);
    const outcome = await applyBundle(text, own.basedOn.digest, isConfirmed);
    setIsApplying(false);
    if (outcome.kind === 'failure') {
      setFailure(outcome);
      // Without a response the bundle may still have been applied.
      if (outcome.code === 'revision_conflict' || outcome.code === 'unreachable') onApplied();
      return;
    }
    const { revision, digest } = outcome.value;
    // The user may have typed while the bundle was being applied.
    const isNewer = draft.get()?.text !== text;
    draft.set({ ...(draft.get() ?? own), basedOn: { revision, digest }, isEdited: isNewer });
    if (!isNewer) setApplied(revision);
    onApplied();
  };
  const isRunning = examined?.kind === 'valid' && examined.digest === bundle.digest;
  const failing = examined?.kind === 'valid' ? examined.tests.filter(({ faults }) => faults.length > 0) : [];
  const mayApply = examined?.kind === 'valid' && isCurrent && failing.length === 0 && !isRunning && !isBehind;
  return (
    <>
      <p class="quiet">
        {bundle.revision === 0 ? (
          'No policy yet. Start from this example.'
        ) : (
          <>
            Revision <strong>{bundle.revision}</strong> is live (<code>{bundle.digest?.slice(7, 15)}</code>).
            Comments are not stored; keep the source in Git.
          </>
        )}
      </p>
      {isBehind && !isRunning && (
        <Behind own={own} running={bundle.revision} onGoOn={() => draft.set({ ...own, basedOn })} />
      )}
      <YamlEditor id={EDITOR} value={text} faultLines={faultLines} onInput={edit} />
      <div class="row editor-bar">
        <div id="editor-findings" role="status">
          {examined === null ? (
            <span class="quiet">Checking …</span>
          ) : examined.kind === 'invalid' ? (
            <span class="verdict block">
              <DecisionGlyph decision="block" />
              {faults.length === 1 ? '1 error' : `${faults.length} errors`}
            </span>
          ) : (
            <span class="verdict allow">
              <DecisionGlyph decision="allow" />
              {examined.documents === 1 ? '1 document' : `${examined.documents} documents`}
              {isRunning ? ' · no changes' : ' · valid'}
            </span>
          )}
        </div>
        <button type="button" class="primary" disabled={!mayApply || isApplying} onClick={() => apply(false)}>
          {isApplying ? 'Applying …' : 'Apply'}
        </button>
        <ImpactTrial text={text} isValid={examined?.kind === 'valid' && isCurrent && failing.length === 0} />
        {!isRunning && (
          <button type="button" onClick={loadRunning}>
            {bundle.revision === 0 ? 'Start over' : 'Discard changes'}
          </button>
        )}
      </div>
      {applied !== null && (
        <p class="note note-good" role="status">
          Revision {applied} is live. It decides the next check.
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
          <h2 id="faults">Errors</h2>
          <Placed items={faults} />
        </section>
      )}
      {examined?.kind === 'valid' && (
        <>
          {examined.warnings.length > 0 && (
            <section class="card" aria-labelledby="warnings">
              <h2 id="warnings">Warnings</h2>
              <Placed items={examined.warnings} />
            </section>
          )}
          <Tests tests={examined.tests} />
          {!isRunning && examined.changes.length > 0 && (
            <section class="card" aria-labelledby="changes">
              <h2 id="changes">
                {bundle.revision === 0 ? 'New rules' : `Changes since revision ${bundle.revision}`}
              </h2>
              {bundle.revision > 0 && examined.examples.length > 0 && (
                <div class="loosened">
                  <h3>Would be decided less strictly</h3>
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

interface BehindProps {
  readonly own: Draft;
  readonly running: number;
  readonly onGoOn: () => void;
}

function Behind({ own, running, onGoOn }: BehindProps) {
  const { revision } = own.basedOn;
  return (
    <div class="note note-warn" role="status">
      <p>
        <strong>Someone applied revision {running} while you were editing.</strong> You started{' '}
        {revision === 0 ? 'before the first revision' : `from revision ${revision}`}. Review the differences
        below; applying this text would undo theirs.
      </p>
      <button type="button" onClick={onGoOn}>
        Continue on top of revision {running}
      </button>
    </div>
  );
}

const PLACED_MAX = 50;

function Placed({
  items,
}: {
  readonly items: readonly { readonly line: number; readonly message: string }[];
}) {
  return (
    <ul class="placed">
      {items.slice(0, PLACED_MAX).map(({ line, message }, at) => (
        <li key={at}>
          <button type="button" class="small" onClick={() => goToLine(EDITOR, line)}>
            line {line}
          </button>{' '}
          <span>
            <Told text={message} />
          </span>
        </li>
      ))}
      {items.length > PLACED_MAX && <li class="quiet">and {items.length - PLACED_MAX} more</li>}
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
            ? tests.length === 1
              ? '1 passes'
              : `all ${tests.length} pass`
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
                <span class="hidden">, start of the test {test.id}</span>
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
