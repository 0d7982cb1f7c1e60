/** Keyboard shortcuts that work on every page, and the dialog behind `?` that lists all of them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { navigationFor } from '../pages/registry.ts';
import { go } from '../state/route.ts';
import { useSession } from '../state/session.ts';
import { Dialog } from './dialog.tsx';
import { DocumentationLink } from './documentation-link.tsx';
import { PLACES } from './places.ts';
import { areSingleKeysOff, isForTheField, turnSingleKeys } from './single-keys.ts';

const SECOND_KEY_WITHIN_MS = 1_500;

export function Shortcuts() {
  const [isShown, setIsShown] = useState(false);
  const goneAtMs = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isForTheField(event)) return;
      const place = event.timeStamp - goneAtMs.current < SECOND_KEY_WITHIN_MS ? PLACES[event.key] : undefined;
      goneAtMs.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (place !== undefined) go(place.path);
      else if (event.key === '?') setIsShown(true);
      else if (event.key === '/')
        document.querySelector<HTMLInputElement>('#search, input[type="search"]')?.focus();
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button
        type="button"
        class="small shortcuts-button"
        title="Help and keyboard shortcuts"
        onClick={() => setIsShown(true)}
      >
        ?<span class="hidden"> Help and keyboard shortcuts</span>
      </button>
      {isShown && <ShortcutList onClose={() => setIsShown(false)} />}
    </>
  );
}

const LISTS = [
  { keys: ['j', 'k'], does: 'next and previous row or review' },
  { keys: ['Enter'], does: 'open' },
  { keys: ['x'], does: 'select in the inbox' },
  { keys: ['a'], does: 'approve the review' },
  { keys: ['r'], does: 'reject the review' },
  { keys: ['t'], does: 'take or release the review' },
  { keys: ['Ctrl', 'Enter'], does: 'confirm in a dialog' },
  { keys: ['/'], does: 'search' },
  { keys: ['Ctrl', 'k'], does: 'go to a page, a name or an ID' },
  { keys: ['?'], does: 'this list' },
];

function ShortcutList({ onClose }: { readonly onClose: () => void }) {
  const [isOff, setIsOff] = useState(areSingleKeysOff);
  const person = useSession()?.person;
  const open = new Set(navigationFor(person).flatMap(({ pages }) => pages.map(({ path }) => path)));
  const places = Object.entries(PLACES).filter(([, { path }]) => open.has(path));
  const turn = () => {
    turnSingleKeys(!isOff);
    setIsOff(!isOff);
  };
  return (
    <Dialog title="Help" onClose={onClose}>
      <p>
        <DocumentationLink>Documentation</DocumentationLink> ·{' '}
        <DocumentationLink to="troubleshooting.md">Troubleshooting</DocumentationLink>
      </p>
      <h3>Keyboard shortcuts</h3>
      <dl class="stack near shortcuts">
        {[...LISTS, ...places.map(([key, { name }]) => ({ keys: ['g', key], does: name }))].map(
          ({ keys, does }) => (
            <div key={does}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ),
        )}
      </dl>
      <label>
        <input type="checkbox" checked={!isOff} onChange={turn} />
        Use these shortcuts
      </label>
      <div class="row dialog-actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
