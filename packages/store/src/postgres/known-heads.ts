/**
 * The heads of logs that this process has seen. A database that no longer extends them has lost commits, for example in
 * a failover, and nothing may be built on it.
 */
import { Frontier } from '@writecheck/ledger/log';
import type { KnownSize } from '../port.ts';
import { areSameBytes } from '../sha256.ts';
import { subtreeHashes } from '../tables/log.ts';
import type { Query } from './connection.ts';
import { unavailable } from './postgres-failure.ts';
import { runRead } from './run-operation.ts';

interface KnownHead extends KnownSize {
  readonly frontier: Uint8Array;
}

export interface LogRow {
  readonly number: number;
  readonly log: string;
  readonly size: number;
  readonly frontier: Buffer;
  readonly newest_ms: number;
}

interface HeadRow extends LogRow {
  readonly is_open: boolean;
  readonly clock_ms: number;
}

const READ_HEADS = `SELECT number, log, size, frontier, newest_ms, is_open,
  floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock_ms FROM writecheck.log`;

export const REPORT_LOST = `INSERT INTO writecheck.lost_entries (log, size, reported_ms)
  VALUES ($1, $2, floor(extract(epoch FROM clock_timestamp()) * 1000)) ON CONFLICT DO NOTHING`;

export class KnownHeads {
  readonly #heads = new Map<string, KnownHead>();
  #hasLost = false;
  /** Whether the connection may lead to another server than before. */
  #isInDoubt = false;

  /** Called after a commit of this process. */
  learn({ log, size, frontier }: KnownHead): void {
    const known = this.#heads.get(log);
    if (known === undefined || known.size <= size) this.#heads.set(log, { log, size, frontier });
  }

  /** Throws if this process has found a loss, and always from then on, because its caches hold the lost part. */
  requireNothingLost(): void {
    if (this.#hasLost) throw unavailable('lost');
  }

  doubt(): void {
    this.#isInDoubt = true;
  }

  /**
   * Reads all heads and compares them with those known before the call. Throws `lost`, and tells every other process.
   * A log that has grown is compared only if in doubt, because that reads its tree.
   */
  async compare(query: Query): Promise<readonly HeadRow[]> {
    this.requireNothingLost();
    const isThorough = this.#isInDoubt;
    // INVARIANT: what was known before the query was committed before it, so the query must see it.
    const before = [...this.#heads.values()];
    const rows = await query<HeadRow>(READ_HEADS);
    const lost: KnownHead[] = [];
    for (const known of before) {
      const row = rows.find(({ log }) => log === known.log);
      if (!(await isExtended(query, known, row, isThorough))) lost.push(known);
    }
    if (lost.length > 0) {
      this.#hasLost = true;
      for (const { log, size } of lost) await query(REPORT_LOST, [log, size]);
      throw unavailable('lost');
    }
    for (const row of rows) this.learn(row);
    if (isThorough) this.#isInDoubt = false;
    return rows;
  }
}

async function isExtended(
  query: Query,
  known: KnownHead,
  row: HeadRow | undefined,
  isThorough: boolean,
): Promise<boolean> {
  if (row === undefined) return known.size === 0;
  if (row.size < known.size) return false;
  if (row.size === known.size) return areSameBytes(row.frontier, known.frontier);
  if (!isThorough || known.size === 0) return true;
  const edges = Frontier.fromBytes(known.frontier)!.edges();
  // Cached tiles are not used: they show the log as it was.
  const hashes = await runRead(query, subtreeHashes(known.log, edges));
  return edges.every(({ hash }, i) => areSameBytes(hash, hashes[i]!));
}
