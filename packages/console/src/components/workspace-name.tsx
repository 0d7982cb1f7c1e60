/** The name of the workspace, which owners may change; the form is loaded when it is opened. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api.ts';
import { noteAway } from '../state/connection.ts';
import { noteWorkspace, useRight, useSession } from '../state/session.ts';
import { RevealedText } from './text.tsx';

type Form = ComponentType<{ readonly name: string; readonly onClose: () => void }>;

export function WorkspaceName() {
  const session = useSession();
  const mayRename = useRight('renameWorkspace');
  const [Form, setForm] = useState<Form | null>(null);
  const secret = session?.secret;
  // Somebody else may have renamed it since this tab signed in.
  useEffect(() => {
    if (secret === undefined) return;
    const leaving = new AbortController();
    call('GET /v1/me', { signal: leaving.signal }).then((me) => {
      if (me.kind === 'success' && !leaving.signal.aborted) noteWorkspace(me.value.workspace);
    });
    return () => leaving.abort();
  }, [secret]);
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
