/** Shortens input for errors and warnings, because input may be as long as a body. */

const SHOWN_CHARACTERS = 64;
/** A character has at most two code units; the rest of a long text is never read. */
const LOOKED_AT = 2 * SHOWN_CHARACTERS + 2;

/** Counts code points, so that no character is cut in two. */
export function shortened(input: string): string {
  if (input.length <= SHOWN_CHARACTERS) return input;
  const beginning = [...input.slice(0, LOOKED_AT)];
  return beginning.length > SHOWN_CHARACTERS ? `${beginning.slice(0, SHOWN_CHARACTERS).join('')}…` : input;
}

/**
 * Prepares a name or path for backticks: replaces all but printable ASCII, so that nothing looks like something else.
 */
export function shown(input: string): string {
  return shortened(input.slice(0, LOOKED_AT).replaceAll(/[^\x20-\x7e]|`/g, '?'));
}

/** Prepares a text for one line of a log or terminal: removes line breaks, escape sequences and direction marks. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}
