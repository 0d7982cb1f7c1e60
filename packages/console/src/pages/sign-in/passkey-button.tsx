/** A button that asks for a passkey, and says what went wrong if none came or the service refused. */
import { useState } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { type hindrance, wordsFor } from '../../state/passkey.ts';
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
  /** Null once the tab is signed in. */
  readonly onAsk: () => Promise<Failure | null>;
}) {
  const [problem, setProblem] = useState<string | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  if (stands !== null) return <PasskeyHindrance hindrance={stands} />;
  const click = async () => {
    setProblem(null);
    setFailure(null);
    setIsAsking(true);
    try {
      setFailure(await onAsk());
    } catch (error) {
      setProblem(wordsFor(error));
    }
    setIsAsking(false);
  };
  return (
    <>
      <button type="button" class="primary" disabled={isAsking} onClick={click}>
        {isAsking ? waiting : text}
      </button>
      {problem !== null && (
        <p class="note note-bad" role="alert">
          {problem}
        </p>
      )}
      {failure !== null && <ErrorNote failure={failure} />}
    </>
  );
}
