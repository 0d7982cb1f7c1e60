/** Reads CSV record by record. After a broken record, reading continues at the line that follows its first one. */
import type { UnreadableLine } from './change.ts';
import { CsvRecord } from './csv-record.ts';
import type { RawLine } from './raw-lines.ts';

export interface CsvCells {
  readonly kind: 'cells';
  readonly line: number;
  readonly cells: readonly string[];
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Null for bytes that are not UTF-8. */
export function decoded(bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

export async function* csvRecords(lines: AsyncIterable<RawLine>): AsyncGenerator<CsvCells | UnreadableLine> {
  const source = lines[Symbol.asyncIterator]();
  /** Lines to read again, the next one last. */
  const again: RawLine[] = [];
  const nextLine = async (): Promise<RawLine | null> => {
    const kept = again.pop();
    if (kept !== undefined) return kept;
    const { done, value } = await source.next();
    return done ? null : value;
  };
  for (let first = await nextLine(); first !== null; first = await nextLine()) {
    if (isEmpty(first)) continue;
    const record = new CsvRecord();
    const following: RawLine[] = [];
    let current: RawLine | null = first;
    for (;;) {
      const progress = feedLine(record, current);
      if (progress.kind === 'record') {
        yield { kind: 'cells', line: first.number, cells: progress.cells };
        break;
      }
      if (progress.kind === 'broken') {
        for (let line = following.pop(); line !== undefined; line = following.pop()) again.push(line);
        yield { kind: 'unreadable', line: first.number, message: progress.message };
        break;
      }
      current = await nextLine();
      if (current !== null) following.push(current);
    }
  }
}

/** Null after the last line. */
function feedLine(record: CsvRecord, line: RawLine | null): ReturnType<CsvRecord['feed']> {
  if (line === null) return { kind: 'broken', message: 'a quoted cell is never closed' };
  if (line.bytes === null) return { kind: 'broken', message: 'the line is too long' };
  const text = decoded(line.bytes);
  return text === null ? { kind: 'broken', message: 'the line is not valid UTF-8' } : record.feed(text);
}

/** An empty line holds no change. */
export function isEmpty({ bytes }: RawLine): boolean {
  return bytes !== null && (bytes.length === 0 || (bytes.length === 1 && bytes[0] === 0x0d));
}
