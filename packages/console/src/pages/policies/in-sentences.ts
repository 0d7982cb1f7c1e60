/** The engine's messages are parts of a sentence, so that a file and a line can stand before them; a page has room for sentences. */
export function inSentences(message: string): string {
  // What is quoted stays as it was written.
  const parts = message
    .split('`')
    .flatMap((part, at) => (at % 2 === 1 ? [`\`${part}\``] : part.split(/(; )/)));
  let text = '';
  let begins = true;
  for (const part of parts) {
    if (part === '') continue;
    if (part === '; ') text += '. ';
    else text += begins ? `${part.slice(0, 1).toUpperCase()}${part.slice(1)}` : part;
    begins = part === '; ';
  }
  return `${text}.`;
}
