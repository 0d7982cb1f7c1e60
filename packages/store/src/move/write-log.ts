/**
 * Writes a log that came with a workspace: whole if it is new, and merged if an earlier move, or the store
 * itself, already has a part of it. INVARIANT: a hash that is there never changes; a log that differs anywhere
 * is refused.
 */
import { TILE_WIDTH } from '@writecheck/ledger/log';
import { isArchived, isPruned, readStub } from '../archive/stub.ts';
import { EMPTY_FRONTIER, type Head, SegmentBuilder } from '../commit/segment-builder.ts';
import { LEAVES_PER_LOG, type LogPosition } from '../log/log-positions.ts';
import { decodeSegment, encodeSegment, type StoredSegment } from '../log/segment.ts';
import { StoreUnavailable } from '../port/failure.ts';
import { HASH_BYTES } from '../sha256.ts';
import type { LogRow } from '../tables/log.ts';
import { insertRow, type Session } from './session.ts';

export interface ArrivingEntry {
  readonly hash: Uint8Array;
  /** Both empty unless the entry is shown. */
  readonly leaf: Uint8Array;
  readonly record: Uint8Array;
  /** Null if it is not shown, or names no time. */
  readonly atMs: number | null;
}

type PlacedLog = Omit<LogRow, keyof LogPosition | 'log'> & { readonly base: number };

type StoredRow = StoredSegment & { readonly leaf_hashes: Buffer };

function refuse(log: string, why: string): StoreUnavailable {
  return new StoreUnavailable('io', `log \`${log}\` ${why}`);
}

export class ArrivingLog {
  readonly #session: Session;
  readonly #log: string;
  readonly #base: number;
  readonly #had: number;
  readonly #isReceived: boolean;
  #head: Head;
  #next = 0;
  #entries: ArrivingEntry[] = [];
  #row: StoredRow | null = null;
  /** How many hash-only entries are shown now. */
  filledIn = 0;

  private constructor(session: Session, log: string, row: PlacedLog) {
    this.#session = session;
    this.#log = log;
    this.#base = row.base;
    this.#had = row.size;
    this.#isReceived = Boolean(row.is_received);
    this.#head = { log, size: row.size, frontier: row.frontier, newestMs: row.newest_ms };
  }

  static async open(session: Session, log: string): Promise<ArrivingLog> {
    const base = session.kind === 'postgres' ? `number * ${LEAVES_PER_LOG}` : 'base';
    const [known] = await session.query<PlacedLog>(
      `SELECT ${base} AS base, size, frontier, newest_ms, is_received FROM writecheck.log WHERE log = $1`,
      [log],
    );
    return new ArrivingLog(session, log, known ?? (await begin(session, log)));
  }

  /** Takes entries in the order of the log, from its first. */
  async add(entry: ArrivingEntry): Promise<void> {
    this.#entries.push(entry);
    this.#next += 1;
    if (this.#next <= this.#had) {
      this.#row ??= await this.#rowAt(this.#next - this.#entries.length);
      if (this.#entries.length === this.#row.count) await this.#merge(this.#row);
    } else if (this.#next % TILE_WIDTH === 0) await this.#append();
  }

  async finish(): Promise<void> {
    if (this.#row !== null) await this.#merge(this.#row);
    await this.#append();
  }

  async #rowAt(index: number): Promise<StoredRow> {
    const [row] = await this.#session.query<StoredRow>(
      'SELECT position, count, leaf_hashes, body FROM writecheck.segment WHERE position = $1 FOR UPDATE',
      [this.#base + index],
    );
    if (row === undefined) throw refuse(this.#log, `is damaged here at entry ${index}`);
    return row;
  }

  /** The arriving log may end within the row. */
  async #merge(row: StoredRow): Promise<void> {
    const arriving = this.#entries;
    this.#entries = [];
    this.#row = null;
    const first = this.#next - arriving.length;
    for (const [i, { hash }] of arriving.entries()) {
      const held = row.leaf_hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES);
      if (!held.equals(hash))
        throw refuse(this.#log, `has another entry ${first + i} here: one of the two was rewritten`);
    }
    if (isArchived(row.body)) {
      const stub = readStub(row.body, row.count);
      if (arriving.some(({ leaf }, i) => leaf.length > 0 && isPruned(stub, i)))
        throw refuse(
          this.#log,
          `has entries in the archive from entry ${first} on, where others cannot be added`,
        );
      return;
    }
    const held = decodeSegment(row);
    const isNew = arriving.map(({ leaf }, i) => leaf.length > 0 && held[i]!.leaf.length === 0);
    const count = isNew.filter(Boolean).length;
    if (count === 0) return;
    this.filledIn += count;
    const merged = held.map((entry, i) => (isNew[i] === true ? arriving[i]! : entry));
    const times = arriving.flatMap(({ atMs }, i) => (isNew[i] === true && atMs !== null ? [atMs] : []));
    await this.#session.query('UPDATE writecheck.segment SET body = $1 WHERE position = $2', [
      encodeSegment(merged),
      row.position,
    ]);
    await this.#widen(row.position, times);
  }

  /** A row that has only hashes has no times. */
  async #widen(position: number, times: readonly number[]): Promise<void> {
    if (times.length === 0) return;
    await this.#session.query(
      'UPDATE writecheck.segment SET oldest_ms = $1 WHERE position = $2 AND oldest_ms > $3',
      [Math.min(...times), position, Math.min(...times)],
    );
    const latest = Math.max(...times);
    if (this.#session.kind === 'postgres')
      await this.#session.query(
        'UPDATE writecheck.segment SET latest_ms = $1 WHERE position = $2 AND latest_ms < $3',
        [latest, position, latest],
      );
    // INVARIANT: no horizon falls from row to row of a log.
    else
      await this.#session.query(
        'UPDATE writecheck.segment SET latest_ms = $1 WHERE log = $2 AND position >= $3 AND position < $4 AND latest_ms < $5',
        [latest, this.#log, position, this.#base + this.#had, latest],
      );
    // INVARIANT: written even if nothing is appended now, so that a later import does not go back in time.
    await this.#session.query('UPDATE writecheck.log SET newest_ms = $1 WHERE log = $2 AND newest_ms < $3', [
      latest,
      this.#log,
      latest,
    ]);
    this.#head = { ...this.#head, newestMs: Math.max(this.#head.newestMs, latest) };
  }

  async #append(): Promise<void> {
    if (this.#entries.length === 0) return;
    // INVARIANT: only this store's own writers make its logs longer.
    if (!this.#isReceived)
      throw refuse(this.#log, 'is shorter here than in the file: this store lost entries of it');
    const builder = new SegmentBuilder(this.#head);
    for (const { hash, leaf, record, atMs } of this.#entries)
      builder.append({ leaf, record, leafHash: hash }, atMs ?? this.#head.newestMs);
    this.#entries = [];
    const { entries, leafHashes, nodes, oldestMs, next, latestMs } = builder.finish();
    const isPostgres = this.#session.kind === 'postgres';
    await insertRow(this.#session, 'segment', {
      position: this.#base + this.#head.size,
      count: entries.length,
      oldest_ms: oldestMs,
      latest_ms: isPostgres ? latestMs : next.newestMs,
      leaf_hashes: leafHashes,
      body: encodeSegment(entries),
      ...(isPostgres ? {} : { log: this.#log }),
    });
    const log = isPostgres ? this.#base / LEAVES_PER_LOG : this.#log;
    for (const { level, number, hash } of nodes)
      await insertRow(this.#session, 'node', { log, level, number, hash: Buffer.from(hash) });
    await this.#session.query(
      'UPDATE writecheck.log SET size = $1, frontier = $2, newest_ms = $3, knows_freezes = knows_freezes + 1 WHERE log = $4',
      [next.size, Buffer.from(next.frontier), next.newestMs, this.#log],
    );
    this.#head = next;
  }

  /** Call it once everything is written: keeps the checkpoint of what arrived, if it is the newest. */
  async sign(note: string): Promise<void> {
    if (!this.#isReceived || this.#head.size !== this.#next) return;
    await this.#session.query('DELETE FROM writecheck.checkpoint WHERE log = $1', [this.#log]);
    const { size, frontier } = this.#head;
    await insertRow(this.#session, 'checkpoint', {
      log: this.#log,
      size,
      note,
      frontier: Buffer.from(frontier),
    });
  }
}

/** INVARIANT: it is below all others, so this store's writers begin their own logs as if it did not exist. */
async function begin(session: Session, log: string): Promise<PlacedLog> {
  const empty = { size: 0, frontier: EMPTY_FRONTIER, newest_ms: 0, is_received: true };
  if (session.kind === 'sqlite') {
    const [lowest] = await session.query<{ readonly base: number }>('SELECT min(base) AS base FROM log');
    const base = Math.min(0, lowest!.base) - LEAVES_PER_LOG;
    await insertRow(session, 'log', { ...empty, log, base });
    return { ...empty, base };
  }
  const [made] = await session.query<{ readonly number: number }>(
    `INSERT INTO writecheck.log (number, log, size, frontier, newest_ms, is_open, writer, leased_until, is_received)
     SELECT least(0, min(number)) - 1, $1, 0, $2, 0, false, '', '-infinity', true FROM writecheck.log RETURNING number`,
    [log, EMPTY_FRONTIER],
  );
  await session.query('INSERT INTO writecheck.indexed VALUES ($1, 0)', [made!.number]);
  return { ...empty, base: made!.number * LEAVES_PER_LOG };
}
