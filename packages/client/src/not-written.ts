/** The error of a write that failed before anything was written. */

/** Throw it from a write only if nothing was written: then its outcome is `failed` instead of `unknown`. */
export class NotWritten extends Error {
  /** The member that counts, so that an error of another class, or of another copy of this one, can say the same. */
  readonly writecheckNotWritten = true;

  constructor(message?: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'NotWritten';
  }
}

export function isNotWritten(error: unknown): boolean {
  try {
    return (error as { writecheckNotWritten?: unknown } | null | undefined)?.writecheckNotWritten === true;
  } catch {
    // A getter may throw anything; an exception proves nothing.
    return false;
  }
}
