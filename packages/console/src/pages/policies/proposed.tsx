/** A change that somebody handed over by a link: it opens in the editor, and never over the user's own edits. */
import { useEffect, useState } from 'preact/hooks';
import { RevealedText } from '../../components/text.tsx';
import { replacePlace, usePlace } from '../../state/route.ts';
import { handedOver, type Sender } from './hand-over-link.ts';

export function Proposed({
  isEdited,
  onTake,
}: {
  /** Whether the editor holds edits that would be lost. */
  readonly isEdited: boolean;
  readonly onTake: (text: string, message: string) => void;
}) {
  const { query } = usePlace();
  const sent = query.get('draft');
  const [{ by, message }, setSender] = useState<Sender>({ by: '', message: '' });
  const [waiting, setWaiting] = useState<string | null>(null);
  const [state, setState] = useState<'none' | 'broken' | 'taken'>('none');
  useEffect(() => {
    if (sent === null) return;
    let isLeft = false;
    handedOver(sent).then((text) => {
      if (isLeft) return;
      const sender = { by: query.get('by') ?? '', message: query.get('message') ?? '' };
      setSender(sender);
      // Reloading the page must not bring it back over what was edited since.
      replacePlace('/policies');
      if (text === null) setState('broken');
      else if (isEdited) setWaiting(text);
      else take(text, sender.message);
    });
    return () => {
      isLeft = true;
    };
  }, [sent]);
  // Applied or discarded, the change is no longer there to be read.
  useEffect(() => {
    if (!isEdited) setState((before) => (before === 'taken' ? 'none' : before));
  }, [isEdited]);
  const take = (text: string, why: string) => {
    onTake(text, why);
    setWaiting(null);
    setState('taken');
  };
  if (waiting !== null)
    return (
      <div class="note note-warn row" role="status">
        <span>This link has a proposed change. Opening it replaces your edits.</span>
        <button type="button" onClick={() => take(waiting, message)}>
          Replace my edits
        </button>
        <button type="button" onClick={() => setWaiting(null)}>
          Keep mine
        </button>
      </div>
    );
  if (state === 'none') return null;
  return state === 'taken' ? (
    <p class="note" role="status">
      <strong>
        {by === '' ? 'Proposed change' : <RevealedText text={`${by} proposes a change`} />}
        {message !== '' && (
          <>
            : <RevealedText text={message} />
          </>
        )}
      </strong>{' '}
      <span class="quiet">
        {by !== '' && 'This note comes with the link; we can’t verify who wrote it. '}
      </span>
      Changed lines are marked. Read them before you apply it.
    </p>
  ) : (
    <p class="note note-bad" role="status">
      This link is damaged. Ask its sender for a new one.
    </p>
  );
}
