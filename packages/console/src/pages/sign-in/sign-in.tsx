/** Sign in with a passkey, through an identity provider, or with an owner key, which stays in this tab. */
import { MINUTE_MS } from '@writecheck/contract';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { TextField } from '../../components/field.tsx';
import { RevealedText } from '../../components/text.tsx';
import { hindrance } from '../../state/passkey.ts';
import { go, href, usePlace } from '../../state/route.ts';
import { IDLE_AFTER_MS, type SignOutReason, signedOut, signIn, useSession } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';
import { useAct } from '../../use-act.ts';
import { PasskeySignIn } from './passkey-sign-in.tsx';
import { SingleSignOn } from './single-sign-on.tsx';

const OWNER_PREFIX = 'wck_own_';
const CHECKING_PREFIXES = ['wck_dev_', 'wck_live_'];

export default function SignIn() {
  const session = useSession();
  const why = useStore(signedOut);
  const { path } = usePlace();
  const [entered, setEntered] = useState('');
  const [refusal, setRefusal] = useState<string | null>(null);
  const { isBusy, failure, act, forget } = useAct();

  if (session !== null) {
    return (
      <div class="page narrow">
        <h1>Signed in</h1>
        <p>
          You are signed in to <strong>{session.workspace.name}</strong>.{' '}
          <a href={href('/overview')}>Go to the overview</a>.
        </p>
        <SignedInPerson />
      </div>
    );
  }

  const submit = (event: Event) => {
    event.preventDefault();
    const key = entered.trim();
    forget();
    const wrong = refuseKey(key);
    setRefusal(wrong);
    if (wrong !== null) return;
    act(call('GET /v1/workspace', { key }), ({ workspace }) => {
      signIn({ secret: key, workspace });
      if (path === '/sign-in') go('/overview');
    });
  };

  const isPasskeyFirst = hindrance() === null;
  return (
    <div class="page narrow">
      <h1>Sign in</h1>
      {why !== null && <p class="note">{REASONS[why]}</p>}
      <div class="card ways-in">
        <PasskeySignIn then={path === '/sign-in' ? '/overview' : null} />
        <SingleSignOn then={path === '/sign-in' ? '/overview' : path} />
        <form onSubmit={submit}>
          <TextField
            label="Owner key"
            type="password"
            name="owner-key"
            autocomplete="off"
            spellcheck={false}
            value={entered}
            placeholder="wck_own_…"
            aria-invalid={refusal !== null}
            aria-describedby="sign-in-help"
            onInput={setEntered}
          />
          <p id="sign-in-help" class="quiet small-text">
            Kept in this tab only. You’re signed out after {IDLE_AFTER_MS / MINUTE_MS} minutes of inactivity.
          </p>
          {refusal !== null && (
            <p class="note note-bad" role="alert">
              {refusal}
            </p>
          )}
          <ErrorNote failure={failure} />
          <button type="submit" class={isPasskeyFirst ? '' : 'primary'} disabled={isBusy}>
            {isBusy ? 'Signing in …' : 'Sign in'}
          </button>
        </form>
      </div>
      <p class="quiet small-text">
        The first start shows the owner key in the terminal, or says which file has it. No workspace yet?{' '}
        <a href={href('/')}>Create one</a>.
      </p>
    </div>
  );
}

const REASONS: { readonly [reason in SignOutReason]: string } = {
  asked: 'You are signed out. This tab has forgotten you.',
  idle: 'You were signed out after a period of inactivity.',
  key_refused:
    'You were signed out because the key or session no longer works: it was revoked, or it has expired.',
};

/** Checks the key without sending it. */
function refuseKey(key: string): string | null {
  if (key === '') return 'Paste an owner key.';
  if (CHECKING_PREFIXES.some((prefix) => key.startsWith(prefix)))
    return 'Agent keys cannot sign in, because agents must not change their own rules. Use the owner key, which starts with wck_own_.';
  if (!key.startsWith(OWNER_PREFIX)) return 'That isn’t an owner key. Owner keys start with wck_own_.';
  return null;
}

/** Nothing for an owner key, which is nobody in particular. */
function SignedInPerson() {
  const person = useSession()?.person;
  if (person === undefined) return null;
  return (
    <p>
      You are{' '}
      <strong>
        <RevealedText text={person.name} />
      </strong>{' '}
      (<RevealedText text={person.email} />
      ), {person.roles.join(', ')}.
    </p>
  );
}
