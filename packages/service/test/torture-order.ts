/** What a test tells a process that it is about to kill. */

export type Order =
  /** Ask without end and write down, on the standard output, every decision that was answered. */
  | { readonly kind: 'ask'; readonly workspace: string; readonly lanes: number }
  /** Open and close reviews without end and write down, on the standard output, every change that was acknowledged. */
  | { readonly kind: 'review'; readonly workspace: string }
  /** Ask so many times at once with a development key, and report how many were admitted. */
  | { readonly kind: 'spend'; readonly workspace: string; readonly checks: number };
