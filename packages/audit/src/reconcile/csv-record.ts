/** One record of CSV as in RFC 4180, which may go over several lines. */
import { RECORD_BYTES_MAX } from './raw-lines.ts';

export type CsvProgress =
  | { readonly kind: 'record'; readonly cells: readonly string[] }
  /** A quoted cell continues on the next line. */
  | { readonly kind: 'open' }
  | { readonly kind: 'broken'; readonly message: string };

const OPEN: CsvProgress = { kind: 'open' };

export class CsvRecord {
  readonly #cells: string[] = [];
  /** The pieces of the quoted cell that is open. */
  #quoted: string[] | null = null;
  #length = 0;

  /** Takes a line without its newline; a carriage return before the newline is still there. */
  feed(line: string): CsvProgress {
    this.#length += line.length;
    if (this.#length > RECORD_BYTES_MAX) return broken('a quoted cell is never closed, or is too long');
    let at = 0;
    for (;;) {
      if (this.#quoted === null && line[at] === '"') {
        this.#quoted = [];
        at += 1;
      }
      if (this.#quoted === null) {
        const comma = line.indexOf(',', at);
        const cell = comma === -1 ? withoutReturn(line.slice(at)) : line.slice(at, comma);
        if (cell.includes('"')) return broken('a cell with a quote in it must be quoted as a whole');
        if (cell.includes('\r')) return broken('a cell with a carriage return in it must be quoted');
        this.#cells.push(cell);
        if (comma === -1) return { kind: 'record', cells: this.#cells };
        at = comma + 1;
        continue;
      }
      const quote = line.indexOf('"', at);
      if (quote === -1) {
        this.#quoted.push(line.slice(at), '\n');
        return OPEN;
      }
      this.#quoted.push(line.slice(at, quote));
      at = quote + 1;
      if (line[at] === '"') {
        this.#quoted.push('"');
        at += 1;
        continue;
      }
      this.#cells.push(this.#quoted.join(''));
      this.#quoted = null;
      if (at === line.length || (line[at] === '\r' && at + 1 === line.length)) {
        return { kind: 'record', cells: this.#cells };
      }
      if (line[at] !== ',') return broken('a quote inside a quoted cell must be doubled');
      at += 1;
    }
  }
}

function broken(message: string): CsvProgress {
  return { kind: 'broken', message };
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
