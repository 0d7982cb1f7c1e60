/** Light, dark, or as the system has it: the one thing that is remembered beyond the tab. */
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
    // Storage that is full or forbidden costs the memory of a colour, nothing else.
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
