/** The limits of a read, and the two ways it can fail: the record cannot be read, or the intent cannot be used. */

/** How long a source may take, from the connection to the last byte. */
export const READ_MS_MAX = 2_000;
export const READS_AT_ONCE_MAX = 16;
/** Limits the response of an HTTP source and the rows of a query. */
export const SOURCE_BYTES_MAX = 1024 * 1024;
export const LATE = `it took longer than ${READ_MS_MAX} ms`;

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

  /** `name` is the member as a query or a URL names it, such as `metadata.po`. */
  constructor(name: string, message: string) {
    super(message);
    this.name = 'UnusableMember';
    this.pointer = `/${name.replaceAll('.', '/')}`;
  }
}

/** Not its message, which may hold a value of the record. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
