/** Moves through the rows of a list with the keyboard. */
import { useEffect } from 'preact/hooks';
import { isForTheField } from './single-keys.ts';

export function useMoveByKeys(): void {
  useEffect(() => {
    window.addEventListener('keydown', moveByKeys);
    return () => window.removeEventListener('keydown', moveByKeys);
  }, []);
}

/** `j`, `k` and the arrow keys move from row to row, `x` selects one; Enter opens it, as with any link. */
function moveByKeys(event: KeyboardEvent): void {
  const at = document.activeElement;
  if (isForTheField(event)) return;
  if (event.key === 'x') at?.closest('tr')?.querySelector<HTMLInputElement>('.pick input')?.click();
  const isOnRow = at?.classList.contains('target') ?? false;
  const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : !isOnRow ? 0 : (ARROWS[event.key] ?? 0);
  if (step === 0) return;
  const links = [...document.querySelectorAll<HTMLAnchorElement>('table .target')];
  const next = links[isOnRow ? links.indexOf(at as HTMLAnchorElement) + step : 0];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

const ARROWS: { readonly [key: string]: number } = { ArrowDown: 1, ArrowUp: -1 };
