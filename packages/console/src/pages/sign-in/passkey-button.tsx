/** A button that asks for a passkey, and says why there is none, or what went wrong. */
import { failureHere, type Reply } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { type Hindrance, wordsFor } from '../../state/passkey.ts';
import { useAct } from '../../use-act.ts';

export function PasskeyButton({
  stands,
  text,
  waiting,
  onAsk,
}: {
  /** Why the browser cannot use a passkey here; null if it can. */
  readonly stands: Hindrance | null;
  readonly text: string;
  readonly waiting: string;
  /** Throws what the browser says if it gives no passkey. */
  readonly onAsk: () => Promise<Reply<unknown>>;
}) {
  const { isBusy, failure, act } = useAct();
  if (stands !== null) return <PasskeyHindrance hindrance={stands} />;
  const click = () => act(onAsk().catch((error) => failureHere('no_passkey', wordsFor(error))));
  return (
    <>
      <button type="button" class="primary" disabled={isBusy} onClick={click}>
        {isBusy ? waiting : text}
      </button>
      {failure?.code === 'no_passkey' ? (
        <p class="note note-bad" role="alert">
          {failure.message}
        </p>
      ) : (
        <ErrorNote failure={failure} />
      )}
    </>
  );
}

/** Says where passkeys do work. */
function PasskeyHindrance({ hindrance }: { readonly hindrance: Hindrance }) {
  if (hindrance.kind === 'address') {
    return (
      <p class="note">
        Passkeys need a host name, and this page has an IP address.{' '}
        <a href={hindrance.instead}>Open it as localhost</a>.
      </p>
    );
  }
  return (
    <p class="note">
      {hindrance.kind === 'insecure'
        ? 'Passkeys need HTTPS. Open this page over HTTPS or as localhost.'
        : 'This browser has no passkeys. Use a current one.'}
    </p>
  );
}
