/** Other people's text on a terminal or in a message: nothing in it can hide, move or imitate anything. */
import { oddCharacters } from './odd-characters.ts';

/** Controls, direction marks, zero-width characters, spaces other than the plain one, and the escape itself. */
const ODD = /[\p{C}\p{Z}\p{DI}\u2800\\]/gu;

/** Every odd character becomes `\u{...}`, and a backslash two, so that no text can forge an escape. */
export function visible(text: string): string {
  return text.replaceAll(ODD, (character) => {
    if (character === ' ') return ' ';
    if (character === '\\') return '\\\\';
    return escapeOf(character);
  });
}

/** A longer run of spaces can push the following text off the screen. */
const SPACES_SHOWN_MAX = 3;

/** The same for text that somebody decides about: lookalike letters and long runs of spaces are shown too. */
export function marked(text: string): string {
  const odd = oddCharacters(text);
  const shown = Array.from(text, (character, i) =>
    odd[i]?.kind === 'look-alike' ? escapeOf(character) : visible(character),
  );
  return shown
    .join('')
    .replaceAll(/ +/g, (run) => (run.length > SPACES_SHOWN_MAX ? `\\u{20}*${run.length}` : run));
}

function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
