/** How errors and warnings repeat input: its beginning, because input may be as long as a body. */

const SHOWN_CHARACTERS = 64;
/** A character is at most two code units; the rest of a long text is not even looked at. */
const LOOKED_AT = 2 * SHOWN_CHARACTERS + 2;

/** Characters are code points, so that none is cut in two. */
export function shortened(input: string): string {
  const beginning = [...input.slice(0, LOOKED_AT)];
  return beginning.length > SHOWN_CHARACTERS ? `${beginning.slice(0, SHOWN_CHARACTERS).join('')}…` : input;
}

/** For a name, a path or the like between backticks: also nothing that could pass for something else. */
export function shown(input: string): string {
  return shortened(input.slice(0, LOOKED_AT).replaceAll(/[^\x20-\x7e]|`/g, '?'));
}

/** For one line of a log or a terminal: no line breaks, escape sequences or marks that turn the direction of writing. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}
