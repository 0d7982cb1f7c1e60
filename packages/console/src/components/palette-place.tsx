/** Opens the palette with Ctrl+K or ⌘K, and loads it only then. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { noteAway } from '../state/connection.ts';

export function PalettePlace() {
  const [Palette, setPalette] = useState<ComponentType<{ readonly onClose: () => void }> | null>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (document.querySelector('dialog') !== null) return;
      // Without the service there is nowhere to go, and the banner says so.
      import('./palette.tsx').then(({ default: loaded }) => setPalette(() => loaded), noteAway);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
  return Palette === null ? null : <Palette onClose={() => setPalette(null)} />;
}
