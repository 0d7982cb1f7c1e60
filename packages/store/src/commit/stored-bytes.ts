/** How many bytes something stores, as a workspace is charged for them: as it was sent, before compression. */
import type { CommitRequest } from '../port/commit.ts';
import type { NewOutcome } from '../port/outcomes.ts';
import type { Value } from '../tables/operation.ts';

/** The kind of a row of `usage` that counts bytes instead of checks. */
export const BYTES = 'bytes';
/** About what a decision takes beside its record: its leaf, the leaf's hash and its row in the search index. */
const ENTRY_BYTES = 1_024;

/** What a request would add to a day, and to the month that the day is in. */
export interface StoredBytes {
  readonly workspace: string;
  /** `2026-11-15`, UTC. */
  readonly day: string;
  bytes: number;
}

export function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

export function monthOf(day: string): string {
  return day.slice(0, 7);
}

export function bytesOfRequest({
  record,
  idempotency,
}: Pick<CommitRequest, 'record' | 'idempotency'>): number {
  const recorded = Buffer.byteLength(record.before) + record.intent.length + record.after.length;
  const kept =
    idempotency === null ? 0 : idempotency.replayableWhile.length + Buffer.byteLength(idempotency.response);
  return ENTRY_BYTES + recorded + kept;
}

/** Its texts are in the log and in its row. */
export function bytesOfOutcome({ note, ref }: NewOutcome): number {
  return ENTRY_BYTES + 2 * (Buffer.byteLength(note ?? '') + Buffer.byteLength(ref ?? ''));
}

/** The values of a statement that writes. */
export function bytesOfValues(values: readonly Value[]): number {
  let bytes = 0;
  for (const value of values) bytes += bytesOfValue(value);
  return bytes;
}

const NUMBER_BYTES = 8;

function bytesOfValue(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value === null || typeof value !== 'object') return NUMBER_BYTES;
  if (value instanceof Uint8Array) return value.length;
  if ('compared' in value) return Buffer.byteLength(value.compared);
  if ('escaped' in value) return Buffer.byteLength(value.escaped);
  return bytesOfValues(value);
}
