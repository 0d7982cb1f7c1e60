/** The text in the editor: the live bundle until the user edits it, then their draft. */
import { useEffect } from 'preact/hooks';
import type { Bundle } from '../../calls/policies.ts';
import { type Draft, draft, edited, isOutdated, undiscarded } from '../../components/policy/draft.ts';
import { print } from '../../components/policy/policy-desk.ts';
import { useSession } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';
import { FIRST_BUNDLE } from './first-bundle.ts';

export type Edited = NonNullable<ReturnType<typeof useDraft>>;

/** Null while the live bundle is being printed. */
export function useDraft(bundle: Bundle) {
  const workspace = useSession()?.workspace.id ?? '';
  const kept = useStore(draft);
  const own = kept?.workspace === workspace ? kept : null;
  const isBehind = own !== null && isOutdated(own, bundle);
  // A text without edits follows the live bundle; edits are never replaced.
  const isMissing = own === null || (isBehind && !own.isEdited);
  const basedOn = { revision: bundle.revision, digest: bundle.digest };
  const showLive = async (discarded: NonNullable<Draft['discarded']> | null) => {
    const text = bundle.revision === 0 ? FIRST_BUNDLE : ((await print(bundle.documents)) ?? '');
    draft.set({ workspace, text, basedOn, isEdited: false, discarded });
  };
  useEffect(() => {
    if (isMissing) showLive(own?.discarded ?? null);
  }, [workspace, bundle, isMissing]);
  if (isMissing) return null;
  return {
    own,
    /** Whether another revision went live since editing began. */
    isBehind,
    edit: (text: string) => draft.set(edited(own, text)),
    /** Puts in what somebody handed over, with their reason. */
    take: (text: string, why: string) => draft.set({ ...edited(own, text), said: { text: why, of: text } }),
    /** Goes back to the live bundle. */
    discard: () => showLive({ text: own.text, basedOn: own.basedOn, said: own.said }),
    /** Brings back what was discarded; null if there is nothing. */
    undo: own.discarded == null ? null : () => draft.set(undiscarded(own)),
    /** Keeps the text, and takes the live bundle for what it is based on. */
    rebase: () => draft.set({ ...own, basedOn }),
  };
}
