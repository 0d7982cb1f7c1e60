/** What can be typed next, under the search field, which keeps the focus and handles the keys. */
import { RevealedText } from '../../components/text.tsx';
import type { Suggestion } from './search-words.ts';

export function Suggestions({
  offered,
  at,
  onTake,
}: {
  readonly offered: readonly Suggestion[];
  readonly at: number;
  readonly onTake: (taken: Suggestion) => void;
}) {
  return (
    <div id="suggestions" class="suggestions" role="listbox" aria-label="Suggestions">
      {offered.map((each, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of its list.
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
        <div
          key={each.text}
          id={`suggestion-${index}`}
          role="option"
          aria-selected={index === at}
          // Or the field would lose the focus, and the list would close before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(each)}
        >
          <RevealedText text={each.label} />
          <span class="quiet small-text">
            <RevealedText text={each.what} />
          </span>
        </div>
      ))}
    </div>
  );
}
