/** The workspace's live bundle, or the user's draft of one, compiled in the page. */

import { compile, EMPTY_SNAPSHOT, type PolicyDocument } from '@writecheck/engine';
import { useMemo } from 'preact/hooks';
import { success } from '../../api.ts';
import { type Bundle, readBundle } from '../../calls/policies.ts';
import { draft } from '../../components/policy/draft.ts';
import { read } from '../../components/policy/policy-desk.ts';
import { useStore } from '../../state/store.ts';
import { useLoad } from '../../use-load.ts';

export function useBundles(workspace: string) {
  const load = useLoad<Bundle>(`bundle ${workspace}`, readBundle);
  const live = useMemo(() => (load.value === null ? null : compiledOf(load.value.documents)), [load.value]);
  const kept = useStore(draft);
  const text = kept?.workspace === workspace && kept.isEdited ? kept.text : null;
  const { value: documents } = useLoad(`draft ${text}`, async () =>
    success(text === null ? null : (((await read(text)) ?? []) as readonly PolicyDocument[])),
  );
  const drafted = useMemo(() => (documents === null ? null : compiledOf(documents)), [documents]);
  // `live` is null while loading, `drafted` if the editor holds no edits of this workspace.
  return { ...load, live, drafted };
}

/** `snapshot` is null if this page’s engine cannot compile the documents. */
function compiledOf(documents: readonly PolicyDocument[]) {
  if (documents.length === 0) return { documents, snapshot: EMPTY_SNAPSHOT };
  const compiled = compile(documents);
  return { documents, snapshot: compiled.kind === 'snapshot' ? compiled.snapshot : null };
}
