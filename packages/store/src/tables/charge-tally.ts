/** Adds up what an operation writes, for the workspace that it charges. */

import type { NewEntry } from '../commit/segment-builder.ts';
import { bytesOfValues, dayOf, type StoredBytes } from '../commit/stored-bytes.ts';
import type { Charged, Statement } from './operation.ts';

const WRITES = /^\s*(?:INSERT|UPDATE)\b/;

export class ChargeTally {
  #charged: StoredBytes | null = null;

  /** What was written before this is not the workspace's. */
  charge({ workspace, atMs }: Charged): void {
    this.#charged = { workspace, day: dayOf(atMs), bytes: 0 };
  }

  ran({ text, values }: Statement): void {
    if (this.#charged !== null && WRITES.test(text)) this.#charged.bytes += bytesOfValues(values);
  }

  appended(entries: readonly NewEntry[]): void {
    if (this.#charged === null) return;
    for (const { leaf, record } of entries) this.#charged.bytes += leaf.length + (record?.length ?? 0);
  }

  /** Null if nothing is to be charged. */
  get total(): StoredBytes | null {
    return this.#charged === null || this.#charged.bytes === 0 ? null : this.#charged;
  }
}
