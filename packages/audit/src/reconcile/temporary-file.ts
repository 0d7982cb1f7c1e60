/** A file in the temporary folder that is gone when the process ends, however it ends. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { undetermined } from '../fail.ts';

export class TemporaryFile {
  readonly #file: number;
  #size = 0;

  constructor() {
    this.#file = attempt(() => {
      const folder = mkdtempSync(join(tmpdir(), 'writecheck-reconcile-'));
      const file = openSync(join(folder, 'sorted'), 'wx+', 0o600);
      // Only the open file keeps the bytes, so that a killed process leaves nothing behind.
      rmSync(folder, { recursive: true });
      return file;
    });
  }

  get size(): number {
    return this.#size;
  }

  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const written = attempt(() => writeSync(this.#file, bytes, at, bytes.length - at, this.#size));
      at += written;
      this.#size += written;
    }
  }

  /** Reads into the start of `target`; returns how many bytes there were. */
  read(target: Uint8Array, from: number, length: number, position: number): number {
    return attempt(() => readSync(this.#file, target, from, length, position));
  }

  close(): void {
    closeSync(this.#file);
  }
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw undetermined(
      `the temporary folder \`${tmpdir()}\` cannot be used (${code}); name one with more room in TMPDIR`,
    );
  }
}
