/** Accepts an invitation: the browser makes a passkey, which signs the person in. */
import { useState } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { ErrorNote } from '../components/error-note.tsx';
import { signIn } from '../state/session.ts';

export default function Invitation() {
  // Only the token follows the `#` here.
  const [token] = useState(() => decodeURIComponent(window.location.hash.replace(/^#/, '')));
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const accept = async () => {
    setIsAsking(true);
    setFailure(null);
    const { acceptInvitation } = await import('../passkey.ts');
    const outcome = await acceptInvitation(token);
    setIsAsking(false);
    if (outcome.kind === 'failure') return setFailure(outcome);
    const { token: session, workspace, person } = outcome.value;
    signIn({ ownerKey: session, workspace, person });
    // The invitation is spent; its address must not stay in the history.
    window.location.replace(new URL('./#/overview', document.baseURI));
  };
  return (
    <div class="page narrow">
      <h1>You are invited</h1>
      <p>
        Create a passkey to join. It stays on your device; Writecheck keeps only its public half. You sign in
        and approve writes with it.
      </p>
      {failure !== null && <ErrorNote failure={failure} />}
      <div class="row">
        <button type="button" class="primary" disabled={isAsking || token === ''} onClick={accept}>
          {isAsking ? 'Waiting for your device …' : 'Create a passkey and join'}
        </button>
      </div>
      {token === '' && (
        <p class="note note-bad" role="alert">
          This address has no invitation. Open the whole link you were sent.
        </p>
      )}
    </div>
  );
}
