/** Other people's text on a terminal or in a message: nothing in it can hide, move or pass for something else. */

/** Controls, direction marks, zero-width characters, spaces other than the plain one, and the escape itself. */
const ODD = /[\p{C}\p{Z}\p{DI}\u2800\\]/gu;

/** Every odd character becomes `\u{...}`, and a backslash two, so that no text can forge an escape. */
export function visible(text: string): string {
  return text.replaceAll(ODD, (character) => {
    if (character === ' ') return ' ';
    if (character === '\\') return '\\\\';
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}
