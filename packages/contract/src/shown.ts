/** Foreign text inside a message: short, and nothing that could pass for something else. */

const SHOWN_CHARACTERS = 100;

/** For a name, a path or the like between backticks. */
export function shown(input: string): string {
  const visible = input.slice(0, SHOWN_CHARACTERS + 1).replaceAll(/[^\x20-\x7e]|`/g, '?');
  return visible.length > SHOWN_CHARACTERS ? `${visible.slice(0, SHOWN_CHARACTERS)}…` : visible;
}

/** For one line of a log or a terminal: no line breaks, escape sequences or marks that turn the direction of writing. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}
