/** The name of the workspace, which owners may change; the form is loaded when it is opened. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api.ts';
import { noteAway } from '../state/connection.ts';
import { doubts, noteMe, useRight, useSession } from '../state/session.ts';
import { useStore } from '../state/store.ts';
import { RevealedText } from './text.tsx';

type Form = ComponentType<{ readonly name: string; readonly onClose: () => void }>;

export function WorkspaceName() {
  const session = useSession();
  const mayRename = useRight('renameWorkspace');
  const [Form, setForm] = useState<Form | null>(null);
  const secret = session?.secret;
  const doubted = useStore(doubts);
  // Since this tab signed in, somebody may have renamed the workspace or changed the person's roles.
  useEffect(() => {
    if (secret === undefined) return;
    const leaving = new AbortController();
    call('GET /v1/me', { signal: leaving.signal }).then((me) => {
      if (me.kind !== 'success' || leaving.signal.aborted) return;
      const { workspace, person } = me.value;
      noteMe(person === null ? { workspace } : { workspace, person });
    });
    return () => leaving.abort();
  }, [secret, doubted]);
  if (session === null) return null;
  const { id, name } = session.workspace;
  const open = () => {
    import('./rename-workspace.tsx').then(({ default: loaded }) => setForm(() => loaded), noteAway);
  };
  return (
    <div class="workspace-row">
      <span class="workspace" title={id}>
        <RevealedText text={name} />
      </span>
      {mayRename && (
        <button type="button" class="plain small-text" onClick={open}>
          Rename<span class="hidden"> the workspace</span>
        </button>
      )}
      {Form !== null && <Form name={name} onClose={() => setForm(null)} />}
    </div>
  );
}
