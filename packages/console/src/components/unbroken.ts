/** Short references such as V-1016 and refund-bot, which browsers break at their hyphens. */

/** Longer ones would leave a narrow cell. */
const REFERENCE_MAX = 16;

export interface Part {
  readonly text: string;
  /** Whether it stays on one line. */
  readonly isWhole: boolean;
}

/** INVARIANT: the joined parts equal the text. */
export function unbrokenParts(text: string): readonly Part[] {
  if (!text.includes('-')) return [{ text, isWhole: false }];
  const parts: Part[] = [];
  for (const word of text.split(/(\s+)/)) {
    const isWhole = word.length > 1 && word.length <= REFERENCE_MAX && word.includes('-');
    const last = parts.at(-1);
    if (isWhole || last === undefined || last.isWhole) parts.push({ text: word, isWhole });
    else parts[parts.length - 1] = { text: last.text + word, isWhole: false };
  }
  return parts;
}
