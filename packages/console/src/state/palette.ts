/** Whether the palette is asked for, by its keys or by its button in the frame. */
import { createStore } from './store.ts';

export const isPaletteOpen = createStore(false);
