/** The bundle somebody is writing: it stays while they look at other pages of the console, and goes with the tab. */
import { createStore } from '../../state/store.ts';

export interface Draft {
  readonly workspace: string;
  readonly text: string;
}

export const draft = createStore<Draft | null>(null);
