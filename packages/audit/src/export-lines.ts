/** The lines of an export, parsed; a file that is not an export or ends too early is refused. */
import { decodeBase64, type Entry, type ExportLine, parseEntry, parseExportLine } from '@writecheck/ledger';
import { undetermined } from './fail.ts';
import { linesOf } from './files.ts';

export async function* exportLinesOf(file: string, label = 'reading'): AsyncGenerator<ExportLine> {
  let isClosed = false;
  for await (const { text } of linesOf(file, label)) {
    const line = parseExportLine(text);
    if (line === null) throw undetermined(`\`${file}\` is not an export; verify it first`);
    if (line.kind === 'trailer') isClosed = true;
    yield line;
  }
  if (!isClosed) throw undetermined(`\`${file}\` ends before its trailer: the file is truncated`);
}

/** Null for a line that shows no entry, or one that cannot be read. */
export function entryIn(line: ExportLine): Entry | null {
  const bytes = line.kind === 'entry' ? decodeBase64(line.leaf) : null;
  return bytes === null ? null : parseEntry(bytes);
}
