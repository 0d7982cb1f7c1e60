/** Files that the audit commands read: lines in constant memory, verifier keys, and kept checkpoints. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { pipeline, type Transform } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { parseVerifierKeys } from '@writecheck/ledger';
import { undetermined } from './fail.ts';

const PROGRESS_EVERY_MS = 200;
const BAR_WIDTH = 30;

export interface FileLine {
  readonly text: string;
  /** Where the line ends in the file, including its newline. */
  readonly endByte: number;
  /** False for a last line that was cut before its newline. */
  readonly isWhole: boolean;
}

/** Line by line, with a bar on a terminal; a compressed file is decompressed. */
export function linesOf(file: string, label: string): AsyncGenerator<FileLine> {
  return linesIn(plainChunksOf(file, label));
}

/** How every Zstandard file begins. */
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

async function* plainChunksOf(file: string, label: string): AsyncGenerator<Uint8Array> {
  if (!(await isCompressed(file))) return yield* chunksOf(file, label);
  try {
    yield* unpacked(chunksOf(file, label));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!code.startsWith('ZSTD_') && code !== 'Z_BUF_ERROR') throw error;
    throw undetermined(`\`${file}\` is compressed, and damaged or truncated`);
  }
}

function unpacked(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return pipeline(chunks, createZstdDecompress(), () => undefined) as unknown as Transform;
}

/** A pipe would lose the bytes read here, so only a regular file is examined. */
export async function isCompressed(file: string): Promise<boolean> {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const handle = await open(file).catch(() => null);
  if (handle === null) return false;
  try {
    const start = Buffer.alloc(ZSTD.length);
    await handle.read(start, 0, start.length, 0);
    return start.equals(ZSTD);
  } finally {
    await handle.close();
  }
}

/** Lines of bytes from anywhere. */
export async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FileLine> {
  let rest: Buffer = Buffer.alloc(0);
  let endByte = 0;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? bufferOf(chunk) : Buffer.concat([rest, chunk]);
    let at = 0;
    for (let end = bytes.indexOf(10, at); end !== -1; end = bytes.indexOf(10, at)) {
      endByte += end + 1 - at;
      yield { text: bytes.toString('utf8', at, end), endByte, isWhole: true };
      at = end + 1;
    }
    rest = bytes.subarray(at);
  }
  if (rest.length > 0) yield { text: rest.toString(), endByte: endByte + rest.length, isWhole: false };
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** The bytes of a file, with a bar on a terminal. */
export async function* chunksOf(file: string, label: string): AsyncGenerator<Buffer> {
  const progress = progressOf(file, label);
  let readBytes = 0;
  try {
    for await (const chunk of createReadStream(file, {
      highWaterMark: 256 * 1024,
    }) as AsyncIterable<Buffer>) {
      readBytes += chunk.length;
      progress.show(readBytes);
      yield chunk;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw undetermined(`\`${file}\` cannot be read`);
  } finally {
    progress.clear();
  }
}

function progressOf(file: string, label: string) {
  const { isTTY } = process.stderr;
  const total = isTTY && existsSync(file) ? statSync(file).size : 0;
  let shownAtMs = 0;
  return {
    show(bytes: number): void {
      if (total === 0 || performance.now() - shownAtMs < PROGRESS_EVERY_MS) return;
      shownAtMs = performance.now();
      const share = Math.min(1, bytes / total);
      const full = Math.round(share * BAR_WIDTH);
      const bar = '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
      process.stderr.write(`\r${label} ${bar} ${Math.floor(share * 100)} %`);
    },
    clear(): void {
      if (shownAtMs > 0) process.stderr.write('\r\u001b[K');
    },
  };
}

export async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw undetermined(`\`${file}\` cannot be read`);
  }
}

/** Each is a file of verifier lines or such lines themselves. */
export async function keysOf(given: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const each of given) {
    const text = parseVerifierKeys(each) === null ? await textOf(each) : each;
    lines.push(...text.split('\n').filter((line) => line !== ''));
  }
  if (parseVerifierKeys(lines) === null)
    throw undetermined('--keys must list verifier keys and nothing else');
  return lines;
}

/** A signed note, or a file of `verify --keep` with one note per line. */
export async function knownCheckpoints(files: readonly string[]): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const file of files) {
    const text = await textOf(file);
    if (!text.startsWith('{')) {
      notes.push(text);
      continue;
    }
    for (const line of text.split('\n').filter((each) => each !== '')) {
      const note = checkpointIn(line);
      if (note === null) throw undetermined(`\`${file}\` holds no checkpoints`);
      notes.push(note);
    }
  }
  return notes;
}

/** The signed note in a line of such a file; null if it has none. */
function checkpointIn(line: string): string | null {
  try {
    const { checkpoint } = JSON.parse(line) as { readonly checkpoint?: unknown };
    return typeof checkpoint === 'string' ? checkpoint : null;
  } catch {
    return null;
  }
}
