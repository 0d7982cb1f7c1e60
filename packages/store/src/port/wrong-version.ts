/** Refuses a store whose schema this program does not read. */

/** INVARIANT: such a store is whole, so the message does not suggest restoring a backup over it. */
export function wrongVersion(found: number, known: number): string {
  return `it is at schema version ${found}, and this version of Writecheck reads only schema version ${known}; nothing is damaged: start the version of Writecheck that made it, or start with a new store`;
}
