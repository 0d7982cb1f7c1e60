/** Sorts any number of records by their bytes in bounded memory: full buffers become sorted runs on disk. */
import { Heap } from './heap.ts';
import { TemporaryFile } from './temporary-file.ts';

const BUFFER_BYTES = 48 * 2 ** 20;
const CHUNK_BYTES = 2 ** 18;
const FIRST_BUFFER_BYTES = 2 ** 14;
const LENGTH_BYTES = 4;
/** The leading bytes that are compared as one number. They are mostly of a hash, so they nearly always differ. */
const LEADING_BYTES = 6;

export class ExternalSort {
  readonly #bufferBytes: number;
  #buffer: Buffer;
  #used = 0;
  #starts: number[] = [];
  #file: TemporaryFile | null = null;
  readonly #runs: { readonly start: number; readonly end: number }[] = [];

  constructor(bufferBytes: number = BUFFER_BYTES) {
    this.#bufferBytes = bufferBytes;
    this.#buffer = Buffer.allocUnsafe(Math.min(bufferBytes, FIRST_BUFFER_BYTES));
  }

  /** The bytes are copied. INVARIANT: a record has at least six bytes. */
  add(record: Uint8Array): void {
    const size = LENGTH_BYTES + record.length;
    if (this.#used + size > this.#bufferBytes && this.#used > 0) this.#spill();
    if (this.#used + size > this.#buffer.length) this.#grow(this.#used + size);
    this.#starts.push(this.#used);
    this.#buffer.writeUInt32LE(record.length, this.#used);
    this.#buffer.set(record, this.#used + LENGTH_BYTES);
    this.#used += size;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(this.#bufferBytes, 2 * this.#buffer.length)));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
  }

  /** All records in order, once. Each is valid until the next one is asked for. */
  *sorted(): Generator<Buffer> {
    if (this.#file === null) {
      for (const start of this.#order()) yield this.#recordAt(start);
      return;
    }
    this.#spill();
    this.#buffer = Buffer.alloc(0);
    const file = this.#file;
    const heap = new Heap<RunReader>(isBefore);
    for (const { start, end } of this.#runs) heap.push(new RunReader(file, start, end));
    while (heap.size > 0) {
      const reader = heap.top!;
      yield reader.record;
      if (reader.advance()) heap.sinkTop();
      else heap.pop();
    }
    file.close();
  }

  #recordAt(start: number): Buffer {
    const from = start + LENGTH_BYTES;
    return this.#buffer.subarray(from, from + this.#buffer.readUInt32LE(start));
  }

  #order(): Uint32Array {
    const starts = Uint32Array.from(this.#starts);
    const buffer = this.#buffer;
    const leading = new Float64Array(starts.length);
    for (let i = 0; i < starts.length; i += 1)
      leading[i] = buffer.readUIntBE(starts[i]! + LENGTH_BYTES, LEADING_BYTES);
    const places = Uint32Array.from(starts.keys());
    places.sort((a, b) => {
      const difference = leading[a]! - leading[b]!;
      return difference !== 0
        ? difference
        : Buffer.compare(this.#recordAt(starts[a]!), this.#recordAt(starts[b]!));
    });
    return places.map((place) => starts[place]!);
  }

  #spill(): void {
    this.#file ??= new TemporaryFile();
    const start = this.#file.size;
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, this.#used));
    let filled = 0;
    for (const at of this.#order()) {
      const whole = this.#buffer.subarray(at, at + LENGTH_BYTES + this.#buffer.readUInt32LE(at));
      if (filled + whole.length > chunk.length) {
        this.#file.append(chunk.subarray(0, filled));
        filled = 0;
      }
      if (whole.length > chunk.length) this.#file.append(whole);
      else {
        chunk.set(whole, filled);
        filled += whole.length;
      }
    }
    this.#file.append(chunk.subarray(0, filled));
    if (this.#file.size > start) this.#runs.push({ start, end: this.#file.size });
    this.#used = 0;
    this.#starts = [];
  }
}

/** Reads one run; `record` is the current one. */
class RunReader {
  readonly #file: TemporaryFile;
  readonly #end: number;
  #position: number;
  #chunk = Buffer.alloc(0);
  #from = 0;
  #to = 0;
  record: Buffer = Buffer.alloc(0);
  leading = 0;

  constructor(file: TemporaryFile, start: number, end: number) {
    this.#file = file;
    this.#position = start;
    this.#end = end;
    this.advance();
  }

  /** False after the last record. */
  advance(): boolean {
    if (!this.#have(LENGTH_BYTES)) return false;
    const length = this.#chunk.readUInt32LE(this.#from);
    this.#have(LENGTH_BYTES + length);
    const from = this.#from + LENGTH_BYTES;
    this.record = this.#chunk.subarray(from, from + length);
    this.leading = this.record.readUIntBE(0, LEADING_BYTES);
    this.#from = from + length;
    return true;
  }

  #have(length: number): boolean {
    if (this.#to - this.#from >= length) return true;
    const rest = this.#chunk.subarray(this.#from, this.#to);
    // INVARIANT: a new chunk, because the caller may still look at the record in the old one.
    const left = rest.length + this.#end - this.#position;
    const chunk = Buffer.allocUnsafe(Math.max(Math.min(CHUNK_BYTES, left), length));
    chunk.set(rest);
    this.#chunk = chunk;
    this.#from = 0;
    this.#to = rest.length;
    while (this.#to < length && this.#position < this.#end) {
      const wanted = Math.min(chunk.length - this.#to, this.#end - this.#position);
      const read = this.#file.read(chunk, this.#to, wanted, this.#position);
      if (read === 0) break;
      this.#to += read;
      this.#position += read;
    }
    return this.#to >= length;
  }
}

function isBefore(a: RunReader, b: RunReader): boolean {
  return a.leading !== b.leading ? a.leading < b.leading : Buffer.compare(a.record, b.record) < 0;
}
