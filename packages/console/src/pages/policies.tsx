/** The policy editor: checks the bundle while typing, compares it with the live one, and applies it. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { DecisionGlyph } from '../components/decision-badge.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { Told } from '../components/told.tsx';
import { useRight } from '../state/rights.ts';
import { useSession } from '../state/session.ts';
import { useStore } from '../state/store.ts';
import { useLoad } from '../use-load.ts';
import { ApplyDialog } from './policies-parts/apply-dialog.tsx';
import { BundleChanges } from './policies-parts/bundle-changes.tsx';
import { type Draft, draft, isOutdated } from './policies-parts/draft.ts';
import type { OutlineEntry } from './policies-parts/examine-policies.ts';
import { FIRST_BUNDLE } from './policies-parts/first-bundle.ts';
import { ImpactTrial } from './policies-parts/impact-trial.tsx';
import { Examples, LooseningDialog } from './policies-parts/loosening-dialog.tsx';
import { Outline } from './policies-parts/outline.tsx';
import { applyBundle, type Bundle, readBundle } from './policies-parts/policies-api.ts';
import { print } from './policies-parts/policy-desk.ts';
import { Proposed } from './policies-parts/proposed.tsx';
import { Tests } from './policies-parts/test-list.tsx';
import { useExamined } from './policies-parts/use-examined.ts';
import { goToLine, YamlEditor } from './policies-parts/yaml-editor.tsx';
import '../style/pieces.css';
import './policies-parts/policies.css';

const EDITOR = 'policy-editor';

export default function Policies() {
  const { value: bundle, failure, reload } = useLoad('bundle', readBundle);
  return (
    <div class="page wide">
      <div class="row title-row">
        <h1>Policies</h1>
      </div>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {bundle !== null && <Editing bundle={bundle} onApplied={reload} />}
    </div>
  );
}

function Editing({ bundle, onApplied }: { readonly bundle: Bundle; readonly onApplied: () => void }) {
  const workspace = useSession()?.workspace.id ?? '';
  const kept = useStore(draft);
  const mayWrite = useRight('applyPolicies');
  const own = kept?.workspace === workspace ? kept : null;
  const isBehind = own !== null && isOutdated(own, bundle);
  // A text without edits follows the live bundle; edits are never replaced.
  const text = own === null || (isBehind && !own.isEdited) ? null : own.text;
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isApplying, setIsApplying] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const [message, setMessage] = useState('');
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
  // While the text is invalid, the outline of the last valid one helps to find the place.
  const lastOutline = useRef<readonly OutlineEntry[]>([]);
  if (examined?.kind === 'valid') lastOutline.current = examined.outline;
  const outline = lastOutline.current;
  const faultLines = useMemo(() => new Set(faults.map(({ line }) => line)), [faults]);
  if (own === null || text === null) return <Skeleton lines={12} />;

  const apply = async (isConfirmed: boolean) => {
    setIsAsking(false);
    setFailure(null);
    setApplied(null);
    setIsApplying(true);
    const outcome = await applyBundle(text, own.basedOn.digest, isConfirmed, message.trim());
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
    setMessage('');
    onApplied();
  };
  const isRunning = examined?.kind === 'valid' && examined.digest === bundle.digest;
  const failing = examined?.kind === 'valid' ? examined.tests.filter(({ faults }) => faults.length > 0) : [];
  const whyOff = whyApplyIsOff({
    mayWrite,
    isBehind: isBehind && !isRunning,
    isRunning,
    isCurrent,
    faults: faults.length,
    failing: failing.length,
  });
  const mayApply =
    mayWrite && examined?.kind === 'valid' && isCurrent && failing.length === 0 && !isRunning && !isBehind;
  // The first bundle has nothing to be compared with. If one may loosen, the service says so, and knows more examples.
  const mayAskFirst =
    bundle.revision > 0 && examined?.kind === 'valid' && !examined.changes.some(({ isLoose }) => isLoose);
  return (
    <>
      <Proposed isEdited={own.isEdited} onTake={edit} />
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
      <div class="policy-desk">
        <Outline entries={outline} onGo={(line) => goToLine(EDITOR, line)} />
        <YamlEditor id={EDITOR} value={text} faultLines={faultLines} onInput={edit} />
        {examined?.kind === 'valid' && (
          <Tests tests={examined.tests} onGo={(line) => goToLine(EDITOR, line)} />
        )}
      </div>
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
          {!isApplying && whyOff !== null && <span class="quiet small-text"> {whyOff}</span>}
        </div>
        {!isRunning && (
          <input
            class="revision-message"
            aria-label="What changes, and why"
            placeholder="What changes, and why (optional)"
            maxLength={256}
            value={message}
            onInput={(event) => setMessage(event.currentTarget.value)}
          />
        )}
        <button
          type="button"
          class="primary"
          disabled={!mayApply || isApplying}
          onClick={() => (mayAskFirst ? setIsAsking(true) : apply(false))}
        >
          {isApplying ? 'Applying …' : 'Apply'}
        </button>
        {!isRunning && (
          <button type="button" onClick={loadRunning}>
            {bundle.revision === 0 ? 'Start over' : 'Discard changes'}
          </button>
        )}
        <ImpactTrial text={text} isValid={examined?.kind === 'valid' && isCurrent} />
      </div>
      {applied !== null && (
        <p class="note note-good" role="status">
          Revision {applied} is live. It decides the next check.
        </p>
      )}
      {isAsking && examined?.kind === 'valid' && (
        <ApplyDialog
          revision={bundle.revision + 1}
          changes={examined.changes}
          text={text}
          onConfirm={() => apply(false)}
          onCancel={() => setIsAsking(false)}
        />
      )}
      {failure !== null && failure.code === 'loosening_unconfirmed' ? (
        <LooseningDialog
          failure={failure}
          action="Apply"
          text={text}
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
          {examined.warnings.length > 0 && (
            <section class="card" aria-labelledby="warnings">
              <h2 id="warnings">Warnings</h2>
              <Placed items={examined.warnings} />
            </section>
          )}
        </>
      )}
    </>
  );
}

/** Null if the bundle can be applied. */
function whyApplyIsOff(state: {
  readonly mayWrite: boolean;
  readonly isBehind: boolean;
  readonly isRunning: boolean;
  readonly isCurrent: boolean;
  readonly faults: number;
  readonly failing: number;
}): string | null {
  if (state.faults > 0) return 'Fix them to apply.';
  if (!state.mayWrite) return 'Only authors and owners can apply policies.';
  if (state.isRunning) return 'Nothing to apply.';
  if (state.failing > 0)
    return state.failing === 1
      ? '1 test fails; fix it to apply.'
      : `${state.failing} tests fail; fix them to apply.`;
  if (state.isBehind) return 'Review the newer revision to apply.';
  return state.isCurrent ? null : 'Checking …';
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
