/** The rows of the log as they are stored, and how they are cut again without changing a hash. */
import type { LogHead, StoredCheckpoint } from '../port/log.ts';
import { sha256 } from '../sha256.ts';

export interface StoredRow {
  readonly firstIndex: number;
  readonly count: number;
  readonly oldestMs: number;
  /** The time as the store keeps it: this row's, or the log's newest up to this row. */
  readonly latestMs: number;
  readonly leafHashes: Buffer;
  readonly body: Buffer;
}

/** A row that must be unchanged. */
export interface SeenRow {
  readonly firstIndex: number;
  readonly bodyDigest: Uint8Array;
}

/** The operations that archiving calls. */
export interface LogRows {
  logs(): Promise<readonly LogHead[]>;
  newestCheckpoint(log: string): Promise<StoredCheckpoint | null>;
  storedRows(log: string, fromIndex: number, limit: number): Promise<readonly StoredRow[]>;
  recut(log: string, seen: readonly SeenRow[], rows: readonly StoredRow[]): Promise<boolean>;
}

export function seenRow({ firstIndex, body }: StoredRow): SeenRow {
  return { firstIndex, bodyDigest: sha256(body) };
}

/** INVARIANT: a recut that would lose, add or move a leaf hash is refused. */
export function mayReplace(
  seen: readonly SeenRow[],
  before: readonly Pick<StoredRow, 'firstIndex' | 'leafHashes' | 'body'>[],
  after: readonly StoredRow[],
): boolean {
  const isUnchanged =
    seen.length === before.length &&
    seen.every(({ firstIndex, bodyDigest }, i) => {
      const row = before[i]!;
      return row.firstIndex === firstIndex && Buffer.compare(sha256(row.body), bodyDigest) === 0;
    });
  if (!isUnchanged) return false;
  let next = before[0]?.firstIndex ?? 0;
  for (const { firstIndex, count, leafHashes } of after) {
    if (firstIndex !== next || leafHashes.length !== count * 32)
      throw new RangeError('rows do not follow each other');
    next += count;
  }
  const hashesOf = (rows: readonly Pick<StoredRow, 'leafHashes'>[]): Buffer =>
    Buffer.concat(rows.map(({ leafHashes }) => leafHashes));
  if (!hashesOf(before).equals(hashesOf(after))) throw new RangeError('rows would lose a hash');
  return true;
}
