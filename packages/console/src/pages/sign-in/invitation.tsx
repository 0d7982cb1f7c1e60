/** Accept an invitation: make a passkey and sign in with it. */
import { startRegistration } from '@simplewebauthn/browser';
import { call, type Reply } from '../../api.ts';
import { ROLE_WORDS } from '../../calls/people.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Skeleton } from '../../components/page.tsx';
import { RevealedText } from '../../components/text.tsx';
import { invitation } from '../../state/arrival.ts';
import { hindrance } from '../../state/passkey.ts';
import { href } from '../../state/route.ts';
import { enter } from '../../state/signed-in-person.ts';
import { useStore } from '../../state/store.ts';
import { useLoad } from '../../use-load.ts';
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
  return <Joining token={token} />;
}

function Joining({ token }: { readonly token: string }) {
  const { value, failure, reload } = useLoad('invitation', (signal) => begin(token, signal));
  if (failure !== null)
    return (
      <div class="page narrow">
        <h1>Invitation</h1>
        <ErrorNote failure={failure} onRetry={reload} />
      </div>
    );
  return (
    <div class="page narrow">
      <h1>Join Writecheck</h1>
      {value === null ? (
        <Skeleton lines={2} />
      ) : (
        <>
          <p>
            <strong>
              <RevealedText text={value.invitation.name} />
            </strong>
            , you are invited to{' '}
            <strong>
              <RevealedText text={value.invitation.workspace} />
            </strong>{' '}
            as {inWords(value.invitation.roles)}.
          </p>
          <ul>
            {value.invitation.roles.map((role) => (
              <li key={role}>
                {value.invitation.roles.length > 1 && `${role}: `}
                {ROLE_WORDS[role]}
              </li>
            ))}
          </ul>
        </>
      )}
      <p>
        Create a passkey to join: your device asks for your fingerprint, face or PIN. You sign in, and sign
        what you approve, with the same passkey.
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

/** Such as "an author and a reviewer". */
function inWords(roles: readonly string[]): string {
  return new Intl.ListFormat('en').format(roles.map((role) => `${/^[ao]/.test(role) ? 'an' : 'a'} ${role}`));
}

function begin(token: string, signal?: AbortSignal) {
  return call('POST /v1/invitations/begin', { key: null, json: { token }, signal });
}

async function join(token: string): Promise<Reply<unknown>> {
  // A challenge is good for 5 minutes, and the page may have been open for longer.
  const begun = await begin(token);
  if (begun.kind === 'failure') return begun;
  const credential = await startRegistration({ optionsJSON: begun.value.options as Options });
  const done = await call('POST /v1/invitations/finish', { key: null, json: { token, credential } });
  if (done.kind === 'failure') return done;
  invitation.set(null);
  const isReviewer = done.value.person.roles.includes('reviewer');
  return enter(done.value, isReviewer ? '/reviews' : '/overview');
}
