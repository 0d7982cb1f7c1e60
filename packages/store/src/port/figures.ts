/** Sizes that an operator watches. */

export interface StoreFigures {
  /** The size of everything the store keeps, with its indexes. */
  readonly databaseBytes: number;
  /** Free space on the disk of the database; null if only the database's own machine can tell. */
  readonly diskFreeBytes: number | null;
  /** Entries of the log that lists and counts do not show yet. */
  readonly indexBehind: number;
  /** Stored responses for repeated requests, roughly: counting them would take long. */
  readonly idempotencyRows: number;
}
