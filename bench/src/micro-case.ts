/** One optimization, and the plain way to do the same. */

export interface Case {
  readonly name: string;
  readonly timesPerCheck: number;
  /** Whether the plain version takes as many lines, so that a small saving is enough. */
  readonly isOneLine?: true;
  /** The version in the service; `i` counts the calls. */
  readonly trick: (i: number) => unknown;
  readonly plain: (i: number) => unknown;
}
