/** Under the editor: whether the text is valid, and what can be done with it. */
import { counted } from '../../components/counted.ts';
import { DecisionGlyph } from '../../components/decision-badge.tsx';
import type { Examined } from '../../components/policy/examine-policies.ts';
import type { Applying } from './use-apply.ts';
import type { Trial } from './use-trial.ts';

export function EditorBar({
  trial: { isRunning: isTrying, start, stop },
  examined,
  mayWrite,
  whyOff,
  isRunning,
  isFirst,
  isCurrent,
  asks,
  applying: { message, setMessage, isApplying },
  onApply,
  onGo,
  onDiscard,
  onUndo,
}: {
  readonly trial: Trial;
  readonly examined: Examined | null;
  /** Whether the user may apply policies; others may read and try. */
  readonly mayWrite: boolean;
  /** Why it cannot be applied; null if it can. */
  readonly whyOff: string | null;
  /** Whether the text is the live bundle. */
  readonly isRunning: boolean;
  /** Whether there is no live bundle yet. */
  readonly isFirst: boolean;
  /** Whether `examined` is about this text. */
  readonly isCurrent: boolean;
  /** Whether an owner must confirm it, who is not the user. */
  readonly asks: boolean;
  readonly applying: Applying;
  readonly onApply: () => void;
  readonly onGo: (line: number) => void;
  /** Null if there are no edits. */
  readonly onDiscard: (() => void) | null;
  /** Null if nothing was discarded. */
  readonly onUndo: (() => void) | null;
}) {
  return (
    <div class="row card editor-bar">
      <div id="editor-findings" role="status">
        {examined === null ? (
          <span class="quiet">Checking …</span>
        ) : (
          <>
            <Verdict examined={examined} isRunning={isRunning} />
            {examined.kind === 'invalid' && (
              <button type="button" class="plain small" onClick={() => onGo(examined.faults[0]!.line)}>
                Show<span class="hidden"> the first error</span>
              </button>
            )}
            {onUndo !== null ? (
              <span>Changes discarded.</span>
            ) : (
              !isApplying && whyOff !== null && <span class="quiet small-text">{whyOff}</span>
            )}
          </>
        )}
      </div>
      {onUndo !== null && (
        <button type="button" onClick={onUndo}>
          Undo
        </button>
      )}
      {!isRunning && mayWrite && (
        <input
          class="revision-message"
          aria-label="What changes, and why"
          placeholder="What changes, and why (optional)"
          maxLength={256}
          value={message}
          onInput={(event) => setMessage(event.currentTarget.value)}
        />
      )}
      {!isRunning && onDiscard !== null && (
        <button type="button" class="plain" onClick={onDiscard}>
          {isFirst ? 'Start over' : 'Discard changes'}
        </button>
      )}
      {mayWrite && (
        <>
          {!isTrying ? (
            <button
              type="button"
              disabled={examined?.kind !== 'valid' || !isCurrent || isRunning}
              onClick={start}
            >
              Try it on the last 7 days
            </button>
          ) : (
            <button type="button" onClick={stop}>
              Stop the trial
            </button>
          )}
          <button type="button" class="primary" disabled={whyOff !== null || isApplying} onClick={onApply}>
            {isApplying ? 'Applying …' : asks ? 'Ask an owner …' : 'Apply'}
          </button>
        </>
      )}
    </div>
  );
}

function Verdict({ examined, isRunning }: { readonly examined: Examined; readonly isRunning: boolean }) {
  if (examined.kind === 'invalid')
    return (
      <span class="verdict block">
        <DecisionGlyph decision="block" />
        {counted(examined.faults.length, 'error')}
      </span>
    );
  const failing = failingTests(examined);
  // Never green beside a test that fails.
  return failing > 0 ? (
    <span class="verdict block">
      <DecisionGlyph decision="block" />
      {failing === 1 ? '1 test fails' : `${failing} tests fail`}
    </span>
  ) : (
    <span class="verdict allow">
      <DecisionGlyph decision="allow" />
      {counted(examined.documents, 'document')}
      {isRunning ? ' · no changes' : ' · valid'}
    </span>
  );
}

function failingTests(examined: Examined | null): number {
  return examined?.kind === 'valid' ? examined.tests.filter(({ faults }) => faults.length > 0).length : 0;
}

/** Null if the bundle can be applied. */
export function whyApplyIsOff(
  examined: Examined | null,
  {
    mayWrite,
    isRunning,
    isBehind,
    isCurrent,
  }: {
    readonly mayWrite: boolean;
    readonly isRunning: boolean;
    readonly isBehind: boolean;
    readonly isCurrent: boolean;
  },
): string | null {
  if (examined?.kind === 'invalid')
    return examined.faults.length === 1 ? 'Fix it to apply.' : 'Fix them to apply.';
  if (!mayWrite) return 'Only authors and owners can apply policies.';
  if (isRunning) return 'Nothing to apply.';
  const failing = failingTests(examined);
  if (failing > 0) return failing === 1 ? 'Fix it to apply.' : 'Fix them to apply.';
  if (isBehind) return 'Review the newer revision to apply.';
  return examined !== null && isCurrent ? null : 'Checking …';
}
