/** Back from the identity provider: exchanges the one-time code for a session. */
import { useEffect, useState } from 'preact/hooks';
import { call, type Failure } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { signInCode } from '../../state/arrival.ts';
import { href } from '../../state/route.ts';
import { enter } from '../../state/signed-in-person.ts';
import { takeKept } from './single-sign-on.tsx';

type State = 'waiting' | 'not_begun' | Failure;

export default function SignInReturned() {
  const [state, setState] = useState<State>('waiting');
  useEffect(() => {
    void finish().then((outcome) => outcome !== null && setState(outcome));
  }, []);
  return (
    <div class="page narrow">
      <h1>Sign in</h1>
      {state === 'waiting' && <p class="quiet">Signing in …</p>}
      {state === 'not_begun' && (
        <p class="note note-bad" role="alert">
          This tab did not begin a sign-in. If you followed a link from somebody else, don’t trust it.
        </p>
      )}
      {typeof state !== 'string' && <ErrorNote failure={state} />}
      {state !== 'waiting' && (
        <p>
          <a href={href('/sign-in')}>Sign in again</a>
        </p>
      )}
    </div>
  );
}

/** Null once the tab is signed in. */
async function finish(): Promise<State | null> {
  const code = signInCode.get();
  signInCode.set(null);
  const kept = takeKept();
  if (code === null || kept === null) return 'not_begun';
  const done = await call('POST /v1/sessions/oidc/finish', {
    key: null,
    json: { code, secret: kept.secret },
  });
  if (done.kind === 'failure') return done;
  const entered = await enter(done.value, kept.then);
  return entered.kind === 'failure' ? entered : null;
}
