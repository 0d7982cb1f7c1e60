/** How errors and warnings repeat input: its beginning, because input may be as long as a body. */

const SHOWN_CHARACTERS = 64;

/** Characters are code points, so that none is cut in two. */
export function shortened(input: string): string {
  // Twice as many code units as code points are enough; the rest of a long text is not even looked at.
  const beginning = [...input.slice(0, 2 * SHOWN_CHARACTERS + 2)];
  return beginning.length > SHOWN_CHARACTERS ? `${beginning.slice(0, SHOWN_CHARACTERS).join('')}…` : input;
}
