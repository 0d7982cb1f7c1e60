/** An intent handed to the playground by another page, such as that of a failing test. */
import type { JsonObject } from '@writecheck/contract';
import { createStore } from './store.ts';

export const triedIntent = createStore<JsonObject | null>(null);
