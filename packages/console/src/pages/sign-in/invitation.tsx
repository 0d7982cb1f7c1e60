/** Accept an invitation: make a passkey and sign in with it. */
import { startRegistration } from '@simplewebauthn/browser';
import { call, type Failure } from '../../api.ts';
import { invitation } from '../../state/arrival.ts';
import { hindrance } from '../../state/passkey.ts';
import { href } from '../../state/route.ts';
import { enter, SIGNED_IN_SHAPE } from '../../state/signed-in-person.ts';
import { useStore } from '../../state/store.ts';
import { PasskeyButton } from './passkey-button.tsx';

type Options = Parameters<typeof startRegistration>[0]['optionsJSON'];

export default function Invitation() {
  const token = useStore(invitation);
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
  return (
    <div class="page narrow">
      <h1>Join Writecheck</h1>
      <p>
        You were invited to a workspace. Create a passkey to join: your device asks for your fingerprint, face
        or PIN. You sign in, and sign what you approve, with the same passkey.
      </p>
      <PasskeyButton
        stands={hindrance(token)}
        text="Create a passkey"
        waiting="Waiting for your device …"
        onAsk={() => join(token)}
      />
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
  const isReviewer = done.value.person.roles.includes('reviewer');
  const entered = await enter(done.value, isReviewer ? '/reviews' : '/overview');
  return entered.kind === 'failure' ? entered : null;
}
