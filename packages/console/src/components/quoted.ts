/** Names in sentences: in backticks, which `Told` shows as code. */
import { cut } from './cut.ts';

const SHOWN_MAX = 40;

/** A backtick in the text is escaped as the engine does, or the quote would end there. */
export function quoted(text: string): string {
  return `\`${text.replaceAll('`', '\\u{60}')}\``;
}

/** Long texts are cut. */
export function shown(value: string | undefined): string {
  return quoted(cut(value ?? '', SHOWN_MAX));
}
