/** The data that the store's threads get at their start. */
import type { Footprint } from './same-files.ts';

export interface ThreadData {
  readonly folder: string;
  readonly footprint: Footprint;
  /** The log that grows. */
  readonly log: string;
  /** The bytes a day of a workspace that has ceilings; null if none has. */
  readonly storesAtMost: number | null;
}
