/** Light, dark, or the system's theme: the only setting that outlives the tab. */
import { keptForever } from './kept.ts';
import { createStore } from './store.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED_AS = 'writecheck.theme';
export const theme = createStore<Theme>(restore());

export function setTheme(next: Theme): void {
  theme.set(next);
  applyTheme();
  keptForever.set(STORED_AS, next);
}

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.get();
}

function restore(): Theme {
  return THEMES.find((each) => each === keptForever.get(STORED_AS)) ?? 'system';
}
