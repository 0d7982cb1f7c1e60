/** Accept an invitation: make a passkey and sign in with it. */
import { startRegistration } from '@simplewebauthn/browser';
import { useState } from 'preact/hooks';
import { call, type Failure } from '../api.ts';
import { ErrorNote } from '../components/error-note.tsx';
import { invitation } from '../state/arrival.ts';
import { hindrance, wordsFor } from '../state/passkey.ts';
import { href } from '../state/route.ts';
import { enter, SIGNED_IN_SHAPE } from '../state/signed-in-person.ts';
import { useStore } from '../state/store.ts';
import { PasskeyHindrance } from './sign-in-parts/passkey-hindrance.tsx';

type Options = Parameters<typeof startRegistration>[0]['optionsJSON'];

export default function Invitation() {
  const token = useStore(invitation);
  const [problem, setProblem] = useState<string | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  if (token === null) {
    return (
      <div class="page narrow">
        <h1>Invitation</h1>
        <p>
          Open the whole link that you were sent. If you joined already,{' '}
          <a href={href('/sign-in')}>sign in</a>.
        </p>
      </div>
    );
  }
  const stands = hindrance(token);

  const click = async () => {
    setProblem(null);
    setFailure(null);
    setIsAsking(true);
    try {
      setFailure(await join(token));
    } catch (error) {
      setProblem(wordsFor(error));
    }
    setIsAsking(false);
  };

  return (
    <div class="page narrow">
      <h1>Join Writecheck</h1>
      <p>
        You were invited to a workspace. Create a passkey to join: your device asks for your fingerprint, face
        or PIN. You sign in, and sign what you approve, with the same passkey.
      </p>
      {stands !== null ? (
        <PasskeyHindrance hindrance={stands} />
      ) : (
        <button type="button" class="primary" disabled={isAsking} onClick={click}>
          {isAsking ? 'Waiting for your device …' : 'Create a passkey'}
        </button>
      )}
      {problem !== null && (
        <p class="note note-bad" role="alert">
          {problem}
        </p>
      )}
      {failure !== null && <ErrorNote failure={failure} />}
    </div>
  );
}

/** Null once the tab is signed in. */
async function join(token: string): Promise<Failure | null> {
  const begun = await call('POST /v1/invitations/begin', {
    key: null,
    json: { token },
    has: { options: 'object' },
  });
  if (begun.kind === 'failure') return begun;
  const credential = await startRegistration({ optionsJSON: begun.value.options as Options });
  const done = await call('POST /v1/invitations/finish', {
    key: null,
    json: { token, credential },
    has: SIGNED_IN_SHAPE,
  });
  if (done.kind === 'failure') return done;
  invitation.set(null);
  const entered = await enter(done.value, '/sign-in');
  return entered.kind === 'failure' ? entered : null;
}
