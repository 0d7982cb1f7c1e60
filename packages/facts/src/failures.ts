/** The two ways a read can fail: the record cannot be read, or the intent cannot be used to read it. */

/** `why` is for the log. INVARIANT: it contains no value of the record or the intent, no query and no URL. */
export class FactsUnavailable extends Error {
  readonly why: string;

  constructor(why: string) {
    super(why);
    this.name = 'FactsUnavailable';
    this.why = why;
  }
}

/** A member of the intent is missing, or its value must not reach the source. */
export class UnusableMember extends Error {
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.name = 'UnusableMember';
    this.pointer = pointer;
  }
}

/** Not its message, which may hold a value of the record. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
