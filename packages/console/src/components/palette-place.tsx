/** Opens the palette with Ctrl+K, ⌘K or its button, and loads it only then. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { noteAway } from '../state/connection.ts';
import { isPaletteOpen } from '../state/palette.ts';
import { useStore } from '../state/store.ts';

export function PalettePlace() {
  const isOpen = useStore(isPaletteOpen);
  const [Palette, setPalette] = useState<ComponentType<{ readonly onClose: () => void }> | null>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (document.querySelector('dialog') === null) isPaletteOpen.set(true);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  useEffect(() => {
    if (!isOpen || Palette !== null) return;
    import('./palette.tsx').then(
      ({ default: loaded }) => setPalette(() => loaded),
      () => {
        // Without the service there is nowhere to go, and the banner says so.
        isPaletteOpen.set(false);
        noteAway();
      },
    );
  }, [isOpen, Palette]);
  return isOpen && Palette !== null ? <Palette onClose={() => isPaletteOpen.set(false)} /> : null;
}

export function PaletteButton() {
  return (
    <button type="button" class="palette-button" onClick={() => isPaletteOpen.set(true)}>
      Go to or find <kbd>Ctrl K</kbd>
    </button>
  );
}
