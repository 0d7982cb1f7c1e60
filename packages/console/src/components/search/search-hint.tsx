/** Names the parts of a search text that are not filters or cannot be searched for. */
import { nearestName } from '@writecheck/contract';
import { RevealedText } from '../text.tsx';
import type { Typed, Vocabulary } from './typed.ts';

export function SearchHint({
  id,
  text,
  typed: { fault, unknown },
  vocabulary,
  onMeant,
  children,
}: {
  readonly id: string;
  readonly text: string;
  readonly typed: Typed;
  readonly vocabulary: Vocabulary;
  /** Takes the text with the word that was meant. */
  readonly onMeant: (text: string) => void;
  readonly children?: preact.ComponentChildren;
}) {
  const meant = unknown === null ? null : nearestName(unknown, vocabulary.words);
  return (
    <p id={id} class={`small-text search-hint${fault === null ? ' quiet' : ' is-fault'}`} aria-live="polite">
      {fault !== null ? <RevealedText text={fault} /> : unknown !== null && `No filter is called ${unknown}.`}{' '}
      {meant !== null && (
        <>
          Did you mean{' '}
          <button
            type="button"
            class="plain in-text"
            onClick={() => onMeant(text.replace(`${unknown}:`, `${meant}:`))}
          >
            {meant}
          </button>
          ?{' '}
        </>
      )}
      {fault === null && children}
    </p>
  );
}
