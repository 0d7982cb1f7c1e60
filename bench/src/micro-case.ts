/** One trick for speed, and the plain way to do the same. */

export interface Case {
  readonly name: string;
  readonly timesPerCheck: number;
  /** Whether the plain way takes as many lines, so that the trick may save little. */
  readonly isOneLine?: true;
  /** As the service does it; `i` counts the calls. */
  readonly trick: (i: number) => unknown;
  readonly plain: (i: number) => unknown;
}
