/** Applies the text in the editor, and says what became of it. */

import { useState } from 'preact/hooks';
import { applyBundle } from '../../calls/policies.ts';
import { type Draft, draft, reasonOf } from '../../components/policy/draft.ts';
import { useAct } from '../../use-act.ts';

export type Applying = ReturnType<typeof useApply>;

export function useApply(own: Draft, onApplied: () => void) {
  const { isBusy: isApplying, failure, act, forget: forgetFailure } = useAct();
  /** What the text became; null if it has not. */
  const [applied, setApplied] = useState<{ readonly revision: number; readonly at: string } | null>(null);
  /** What the user says of the change. */
  const message = reasonOf(own);
  const setMessage = (text: string) => draft.set({ ...(draft.get() ?? own), said: { text } });
  /** Drops the results, which say nothing of a new text. */
  const forget = () => {
    setApplied(null);
    forgetFailure();
  };
  const apply = async (isConfirmed: boolean) => {
    forget();
    const outcome = await act(applyBundle(own.text, own.basedOn.digest, isConfirmed, message.trim()));
    if (outcome.kind === 'failure') {
      // Without a response the bundle may still have been applied.
      if (outcome.code === 'revision_conflict' || outcome.code === 'unreachable') onApplied();
      return;
    }
    const { revision, digest } = outcome.value;
    // The user may have typed while the bundle was being applied.
    const isNewer = draft.get()?.text !== own.text;
    draft.set({
      ...(draft.get() ?? own),
      basedOn: { revision, digest },
      isEdited: isNewer,
      said: undefined,
    });
    if (!isNewer) setApplied({ revision, at: new Date().toISOString() });
    onApplied();
  };
  return { message, setMessage, isApplying, failure, applied, apply, forget };
}
