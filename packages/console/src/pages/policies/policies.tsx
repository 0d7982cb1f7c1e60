/** The policy editor: checks the bundle while typing, compares it with the live one, and applies it. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Bundle, readBundle } from '../../calls/policies.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHead, Skeleton } from '../../components/page.tsx';
import type { Examined } from '../../components/policy/examine-policies.ts';
import { href, usePlace } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';
import { ConfirmChange } from './confirm-change.tsx';
import { EditorBar, whyApplyIsOff } from './editor-bar.tsx';
import { Changes, Faults, Warnings } from './findings.tsx';
import { FirstRules } from './first-rules.tsx';
import { ImpactReport } from './impact-report.tsx';
import { useMayLoosen } from './loosening-dialog.tsx';
import { Outline } from './outline.tsx';
import { Proposed } from './proposed.tsx';
import { RunFailure } from './run-failure.tsx';
import { Tests } from './test-list.tsx';
import { useApply } from './use-apply.ts';
import { type Edited, useDraft } from './use-draft.ts';
import { useExamined } from './use-examined.ts';
import { useTrial } from './use-trial.ts';
import { goToLine, isTyped, showLine, YamlEditor } from './yaml-editor.tsx';

const EDITOR = 'policy-editor';

export default function Policies() {
  const { value: bundle, failure, readAt, reload } = useLoad('bundle', readBundle);
  return (
    <div class="page wide">
      <PageHead title="Policies">{bundle !== null && <Live bundle={bundle} />}</PageHead>
      <ErrorNote failure={failure} onRetry={reload} readAt={readAt} />
      {bundle !== null && <Editing bundle={bundle} onApplied={reload} />}
    </div>
  );
}

interface EditingProps {
  readonly bundle: Bundle;
  readonly onApplied: () => void;
}

function Editing({ bundle, onApplied }: EditingProps) {
  const edited = useDraft(bundle);
  if (edited === null) return <Skeleton lines={12} />;
  return <Desk bundle={bundle} edited={edited} onApplied={onApplied} />;
}

function Desk({ bundle, edited, onApplied }: EditingProps & { readonly edited: Edited }) {
  const { own, discard, undo, rebase } = edited;
  const { text } = own;
  const mayWrite = useRight('applyPolicies');
  const mayLoosen = useMayLoosen();
  const [isAsking, setIsAsking] = useState(false);
  const { examined, isCurrent } = useExamined(text, bundle.documents, own.workspace);
  const isRunning = examined?.kind === 'valid' && examined.digest === bundle.digest;
  const trial = useTrial(text, isRunning);
  const applying = useApply(own, onApplied);
  const { failure, apply, forget, message, setMessage } = applying;
  // While the text is invalid, the outline and the tests of the last valid one help to find the place.
  const lastValid = useRef<Valid | null>(null);
  if (examined?.kind === 'valid') lastValid.current = examined;
  const shown = useShownLine(own.isEdited, examined, isCurrent, lastValid.current);
  const { changedLines, faultLines } = useMarkedLines(examined, isRunning);
  const isBehind = edited.isBehind && !isRunning;
  const edit = (next: string) => {
    forget();
    // Typing breaks the line it is on. A paste or a cut can break one out of sight.
    shown.isFarReaching ||= !isTyped(text, next);
    edited.edit(next);
  };
  const takeProposed = (next: string, why: string) => {
    forget();
    edited.take(next, why);
    shown.next = goToLine;
  };
  // The first bundle has nothing to be compared with. If one may loosen, the service says so, and knows more examples.
  const loosens = examined?.kind === 'valid' && examined.changes.some(({ isLoose }) => isLoose);
  const hasLive = bundle.revision > 0;
  const asks = hasLive && loosens && !mayLoosen;
  const isConfirming = examined?.kind === 'valid' && (isAsking || failure?.code === 'loosening_unconfirmed');
  return (
    <>
      <Proposed isEdited={own.isEdited} onTake={takeProposed} />
      {isBehind && <Behind from={own.basedOn.revision} running={bundle.revision} onGoOn={rebase} />}
      <div class="policy-desk">
        <Outline entries={lastValid.current?.outline ?? []} onGo={go} />
        <YamlEditor
          id={EDITOR}
          value={text}
          faultLines={faultLines}
          changedLines={changedLines}
          onInput={edit}
        />
        <div class="stack desk-side">
          <Applied applied={applying.applied} failure={failure} />
          {examined?.kind === 'invalid' && <Faults faults={examined.faults} onGo={go} />}
          {!isConfirming && (
            <>
              <RunFailure failure={trial.failure} />
              {/* Once the text is live, what it would change is of the past. */}
              {(trial.report !== null || trial.isRunning) && trial.failure === null && !isRunning && (
                <ImpactReport trial={trial} />
              )}
            </>
          )}
          {examined?.kind === 'valid' &&
            !isRunning &&
            (hasLive ? (
              <Changes examined={examined} revision={bundle.revision} />
            ) : (
              <FirstRules text={text} />
            ))}
          {lastValid.current !== null && (
            <Tests tests={lastValid.current.tests} isOutdated={examined?.kind === 'invalid'} onGo={go} />
          )}
          {examined?.kind === 'valid' && <Warnings warnings={examined.warnings} onGo={go} />}
        </div>
      </div>
      <EditorBar
        trial={trial}
        examined={examined}
        mayWrite={mayWrite}
        whyOff={whyApplyIsOff(examined, { mayWrite, isRunning, isBehind, isCurrent })}
        isRunning={isRunning}
        isFirst={bundle.revision === 0}
        isCurrent={isCurrent}
        asks={asks}
        applying={applying}
        onGo={go}
        onApply={() => (asks || (hasLive && !loosens) ? setIsAsking(true) : apply(false))}
        onDiscard={
          own.isEdited
            ? () => {
                forget();
                discard();
              }
            : null
        }
        onUndo={undo}
      />
      {isConfirming && (
        <ConfirmChange
          title={`Apply revision ${bundle.revision + 1}?`}
          action="Apply"
          text={text}
          examined={examined}
          trial={trial}
          failure={failure}
          reason={{ text: message, set: setMessage }}
          onConfirm={(isConfirmed) => {
            setIsAsking(false);
            apply(isConfirmed);
          }}
          onCancel={() => {
            setIsAsking(false);
            forget();
          }}
        />
      )}
    </>
  );
}

type Valid = Extract<Examined, { kind: 'valid' }>;

function go(line: number): void {
  goToLine(EDITOR, line);
}

/** Shows the line where a draft differs, where a link leads, or that a change out of sight broke. */
function useShownLine(
  isEdited: boolean,
  examined: Examined | null,
  isCurrent: boolean,
  lastValid: Valid | null,
) {
  const named = usePlace().query.get('document');
  const shown = useRef({ isFarReaching: false, next: isEdited || named !== null ? showLine : null }).current;
  useEffect(() => {
    if (!isCurrent || examined === null) return;
    const firstFault = examined.kind === 'invalid' ? examined.faults[0]?.line : undefined;
    const show = shown.next ?? (shown.isFarReaching && firstFault !== undefined ? showLine : null);
    shown.isFarReaching = false;
    if (show === null) return;
    shown.next = null;
    const wanted =
      lastValid?.outline.find(({ id }) => id === named)?.line ?? firstFault ?? examined.changedLines[0];
    if (wanted !== undefined) show(EDITOR, wanted);
  }, [examined, isCurrent]);
  return shown;
}

function useMarkedLines(examined: Examined | null, isRunning: boolean) {
  const changedLines = useMemo(() => new Set(isRunning ? [] : examined?.changedLines), [examined, isRunning]);
  const faultLines = useMemo(
    () => new Set(examined?.kind === 'invalid' ? examined.faults.map(({ line }) => line) : []),
    [examined],
  );
  return { changedLines, faultLines };
}

function Applied({ applied, failure }: Pick<ReturnType<typeof useApply>, 'applied' | 'failure'>) {
  return (
    <>
      {applied !== null && (
        <p class="note note-good" role="status">
          Revision {applied.revision} is live since <Moment at={applied.at} />. It decides the next check.{' '}
          <a href={href('/policies/revisions', { show: String(applied.revision) })}>Show it or roll back</a>
        </p>
      )}
      {failure !== null && failure.code !== 'loosening_unconfirmed' && <ErrorNote failure={failure} />}
    </>
  );
}

function Live({ bundle: { revision, digest } }: { readonly bundle: Bundle }) {
  if (revision === 0) return <p class="quiet">No policy yet. Start from this example.</p>;
  return (
    <p class="quiet small-text">
      Revision <strong>{revision}</strong> is live (<code>{digest?.slice(7, 15)}</code>). Comments are not
      stored; keep the source in Git.
    </p>
  );
}

interface BehindProps {
  /** The revision that editing began with. */
  readonly from: number;
  readonly running: number;
  readonly onGoOn: () => void;
}

function Behind({ from, running, onGoOn }: BehindProps) {
  return (
    <div class="note note-warn" role="status">
      <p>
        <strong>Someone applied revision {running} while you were editing.</strong> You started{' '}
        {from === 0 ? 'before the first revision' : `from revision ${from}`}. Review the differences below;
        applying this text would undo theirs.
      </p>
      <button type="button" onClick={onGoOn}>
        Continue on top of revision {running}
      </button>
    </div>
  );
}
