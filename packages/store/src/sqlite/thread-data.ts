/** The data that the store's threads get at their start. */
import type { Footprint } from './same-files.ts';

export interface ThreadData {
  readonly folder: string;
  readonly footprint: Footprint;
  /** The log that grows. */
  readonly log: string;
}
