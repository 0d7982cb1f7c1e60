/** The source from which a control is read. */
import type { JsonObject } from '@writecheck/contract';
import type { SeenIntent } from './seen-intent.ts';

/** Rejects with `FactsUnavailable`. */
export type Read = () => Promise<JsonObject>;

export interface Source {
  /** Throws an `UnusableMember` before anything is read. */
  prepare(seen: SeenIntent): Read;
  close(): Promise<void>;
}
