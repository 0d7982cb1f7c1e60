/** Light, dark, or the system's theme: the only setting that outlives the tab. */
import { createStore, useStore } from './store.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED_AS = 'writecheck.theme';
const theme = createStore<Theme>(restore());

export function useTheme(): Theme {
  return useStore(theme);
}

export function setTheme(next: Theme): void {
  theme.set(next);
  applyTheme();
  try {
    localStorage.setItem(STORED_AS, next);
  } catch {
    // If storage is full or forbidden, only the choice of theme is lost.
  }
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.get();
}

function restore(): Theme {
  try {
    return THEMES.find((each) => each === localStorage.getItem(STORED_AS)) ?? 'system';
  } catch {
    return 'system';
  }
}
