/** A button that asks for a passkey, and says what went wrong if none came or the service refused. */
import { failureHere, type Reply } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { type hindrance, wordsFor } from '../../state/passkey.ts';
import { useAct } from '../../use-act.ts';
import { PasskeyHindrance } from './passkey-hindrance.tsx';

export function PasskeyButton({
  stands,
  text,
  waiting,
  onAsk,
}: {
  /** Why the browser cannot use a passkey here; null if it can. */
  readonly stands: ReturnType<typeof hindrance>;
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
