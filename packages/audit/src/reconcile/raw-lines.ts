/** Splits bytes into lines, in bounded memory whatever the lines hold. */

/** The longest line, and the longest CSV record over several lines. */
export const RECORD_BYTES_MAX = 2 ** 20;
const NEWLINE = 0x0a;

export interface RawLine {
  /** Counted from 1. */
  readonly number: number;
  /** The line without its newline; null if it is too long. */
  readonly bytes: Buffer | null;
}

export async function* rawLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<RawLine> {
  let number = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const line = (): RawLine => {
    const bytes = length > RECORD_BYTES_MAX ? null : parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    const whole: RawLine = { number, bytes };
    number += 1;
    parts = [];
    length = 0;
    return whole;
  };
  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= RECORD_BYTES_MAX) parts.push(part);
    else parts = [];
  };
  for await (const chunk of chunks) {
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, at)) {
      add(chunk.subarray(at, end));
      yield line();
      at = end + 1;
    }
    if (at < chunk.length) add(chunk.subarray(at));
  }
  if (length > 0) yield line();
}
