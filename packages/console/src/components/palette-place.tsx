/** The palette's dialog and field, opened with Ctrl+K, ⌘K or its button; what it leads to is loaded apart. */
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { noteAway } from '../state/connection.ts';
import { createStore, useStore } from '../state/store.ts';
import { Dialog } from './dialog.tsx';
import type { DestinationsProps, Keys } from './palette.tsx';

type List = ComponentType<DestinationsProps>;

/** Set by the keys, and by the button in the frame. */
const isPaletteOpen = createStore(false);

export function PalettePlace() {
  const isOpen = useStore(isPaletteOpen);
  const [Destinations, setDestinations] = useState<List | null>(null);
  const load = () => import('./palette.tsx').then(({ default: loaded }) => setDestinations(() => loaded));
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (document.querySelector('dialog') === null) isPaletteOpen.set(true);
    };
    window.addEventListener('keydown', press);
    // Loads when the page is idle. A faster user types into the empty field until it is loaded.
    const idle = setTimeout(() => load().catch(() => undefined), LOADED_AFTER_MS);
    return () => {
      window.removeEventListener('keydown', press);
      clearTimeout(idle);
    };
  }, []);
  useEffect(() => {
    if (!isOpen || Destinations !== null) return;
    load().catch(() => {
      // Without the service there is nowhere to go, and the banner says so.
      isPaletteOpen.set(false);
      noteAway();
    });
  }, [isOpen, Destinations]);
  return isOpen ? <Palette Destinations={Destinations} /> : null;
}

const LOADED_AFTER_MS = 3_000;

/** The field renders immediately, so that no keystroke is lost while the rest loads. */
function Palette({ Destinations }: { readonly Destinations: List | null }) {
  const [text, setText] = useState('');
  const [active, setActive] = useState<string>();
  const keys = useRef<Keys | null>(null);
  /** Enter before there was anything to choose from. */
  const isAwaited = useRef(false);
  const close = () => isPaletteOpen.set(false);
  const press = (event: KeyboardEvent) => {
    if (keys.current !== null) return keys.current(event);
    if (event.key === 'Enter') isAwaited.current = text.trim() !== '';
  };
  return (
    <Dialog kind="palette" label="Go to" onClose={close}>
      <input
        type="text"
        role="combobox"
        aria-label="Page, name, ID or search"
        aria-expanded={Destinations !== null}
        aria-controls={Destinations === null ? undefined : 'destinations'}
        aria-activedescendant={active}
        placeholder="Page, name, ID or search"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={press}
      />
      {Destinations !== null && (
        <Destinations
          text={text}
          keys={keys}
          isAwaited={isAwaited.current}
          onActive={setActive}
          onClose={close}
        />
      )}
    </Dialog>
  );
}

export function PaletteButton() {
  return (
    <button type="button" class="palette-button" onClick={() => isPaletteOpen.set(true)}>
      Go to or find <kbd>Ctrl K</kbd>
    </button>
  );
}
