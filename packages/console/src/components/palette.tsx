/** Go anywhere by typing: a page, an action, a thing by its name, a pasted ID, or a search. Opened with Ctrl+K or ⌘K. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { scopeFrom } from '../state/freezing.ts';
import { go, usePlace } from '../state/route.ts';
import { useSession } from '../state/session.ts';
import { type Destination, destinationsFor } from './destinations.ts';
import { Dialog } from './dialog.tsx';
import { type KnownObjects, objectsFor } from './known-objects.ts';
import { actionsFor } from './palette-actions.ts';
import { readObjects } from './read-objects.ts';
import { RevealedText } from './revealed-text.tsx';

export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const person = useSession()?.person;
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [known, setKnown] = useState<KnownObjects>([]);
  useEffect(() => {
    const leaving = new AbortController();
    readObjects(person, leaving.signal).then((read) => leaving.signal.aborted || setKnown(read));
    return () => leaving.abort();
  }, []);
  const { path: here, query: narrowing } = usePlace();
  const actions = useMemo(() => actionsFor(person, scopeFrom(here, narrowing)), [person, here, narrowing]);
  const found = useMemo(
    () => destinationsFor(text, person, objectsFor(text, known), actions),
    [text, person, known, actions],
  );
  const chosen = found[Math.min(at, found.length - 1)];
  const open = ({ path, query, act }: Destination) => {
    onClose();
    if (act === undefined) go(path, query);
    else act();
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setAt((found.indexOf(chosen!) + step + found.length) % found.length);
    else if (event.key === 'Enter' && chosen !== undefined) open(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog kind="palette" label="Go to" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label="Page, name, ID or search"
        aria-expanded="true"
        aria-controls="destinations"
        aria-activedescendant={chosen === undefined ? undefined : `destination-${found.indexOf(chosen)}`}
        placeholder="Page, name, ID or search"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id="destinations" role="listbox" aria-label="Destinations">
        {found.map((each, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of its list.
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
          <div
            key={`${each.path} ${each.label}`}
            id={`destination-${index}`}
            role="option"
            aria-selected={each === chosen}
            onClick={() => open(each)}
          >
            <RevealedText text={each.label} />
            {each.what !== undefined && (
              <span class="quiet small-text">
                {' '}
                <RevealedText text={each.what} />
              </span>
            )}
            {each.keys !== undefined && (
              <span class="small-text wide-only" aria-hidden="true">
                {each.keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </span>
            )}
            {each.detail !== undefined && (
              <code class="detail">
                <RevealedText text={each.detail} />
              </code>
            )}
          </div>
        ))}
      </div>
    </Dialog>
  );
}
