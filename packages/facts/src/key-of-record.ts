/** Whether a record is about the object of the intent. */

/**
 * By code points, because a database may find `0123`, ` 123` or another case for `123`, and then the facts of one object
 * would be signed for another.
 */
export function isKeyOf(value: unknown, objectRef: string): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value) && String(value) === objectRef;
  return typeof value === 'string' && value === objectRef;
}
