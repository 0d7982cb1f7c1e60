/** Sign in with a passkey. */
import { startAuthentication } from '@simplewebauthn/browser';
import { useState } from 'preact/hooks';
import { call, type Failure } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { hindrance, wordsFor } from '../../state/passkey.ts';
import { enter, SIGNED_IN_SHAPE } from '../../state/signed-in-person.ts';
import { PasskeyHindrance } from './passkey-hindrance.tsx';

type Options = Parameters<typeof startAuthentication>[0]['optionsJSON'];

export function PasskeySignIn({ then }: { readonly then: string | null }) {
  const [problem, setProblem] = useState<string | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const stands = hindrance();
  if (stands !== null) return <PasskeyHindrance hindrance={stands} />;

  const signIn = async (): Promise<Failure | null> => {
    const begun = await call('POST /v1/sessions/passkey/begin', {
      key: null,
      json: {},
      has: { options: 'object' },
    });
    if (begun.kind === 'failure') return begun;
    const credential = await startAuthentication({ optionsJSON: begun.value.options as Options });
    const done = await call('POST /v1/sessions/passkey/finish', {
      key: null,
      json: { credential },
      has: SIGNED_IN_SHAPE,
    });
    if (done.kind === 'failure') return done;
    const entered = await enter(done.value, then);
    return entered.kind === 'failure' ? entered : null;
  };

  const click = async () => {
    setProblem(null);
    setFailure(null);
    setIsAsking(true);
    try {
      setFailure(await signIn());
    } catch (error) {
      setProblem(wordsFor(error));
    }
    setIsAsking(false);
  };

  return (
    <div class="way-in">
      <button type="button" class="primary" disabled={isAsking} onClick={click}>
        {isAsking ? 'Waiting for your passkey …' : 'Use a passkey'}
      </button>
      {problem !== null && (
        <p class="note note-bad" role="alert">
          {problem}
        </p>
      )}
      {failure !== null && <ErrorNote failure={failure} />}
    </div>
  );
}
