/** The order that a test gives to a process that it is about to kill. */

export type Order =
  /** Send checks without end and write every answered decision to the standard output. */
  | { readonly kind: 'ask'; readonly workspace: string; readonly lanes: number }
  /** Open and close reviews without end and write down, on the standard output, every change that was acknowledged. */
  | { readonly kind: 'review'; readonly workspace: string }
  /** Send this many checks concurrently with a development key, and report how many were admitted. */
  | { readonly kind: 'spend'; readonly workspace: string; readonly checks: number };
