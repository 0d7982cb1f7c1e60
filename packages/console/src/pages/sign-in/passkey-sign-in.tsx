/** Sign in with a passkey. */
import { startAuthentication } from '@simplewebauthn/browser';
import { call, type Reply } from '../../api.ts';
import { hindrance } from '../../state/passkey.ts';
import { enter } from '../../state/signed-in-person.ts';
import { PasskeyButton } from './passkey-button.tsx';

type Options = Parameters<typeof startAuthentication>[0]['optionsJSON'];

export function PasskeySignIn({ then }: { readonly then: string | null }) {
  const signIn = async (): Promise<Reply<unknown>> => {
    const begun = await call('POST /v1/sessions/passkey/begin', { key: null, json: {} });
    if (begun.kind === 'failure') return begun;
    const credential = await startAuthentication({ optionsJSON: begun.value.options as Options });
    const done = await call('POST /v1/sessions/passkey/finish', { key: null, json: { credential } });
    if (done.kind === 'failure') return done;
    return enter(done.value, then);
  };

  return (
    <PasskeyButton
      stands={hindrance()}
      text="Use a passkey"
      waiting="Waiting for your passkey …"
      onAsk={signIn}
    />
  );
}
