/** Checks that a record is about the object of the intent. */

/**
 * Compares code points, because a database may find `0123`, ` 123` or another case for `123`, and the reader would then
 * sign the facts of one object for another.
 */
export function isKeyOf(value: unknown, objectRef: string): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && String(value) === objectRef;
  return typeof value === 'string' && value === objectRef;
}
