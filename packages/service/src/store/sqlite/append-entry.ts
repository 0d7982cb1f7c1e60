/** Appends entries that are no decisions to a log, within the transaction of whoever calls. */
import { Frontier, leafHash } from '@writecheck/ledger';
import { encodeSegment } from '../segment.ts';
import { sha256 } from './commit.ts';
import { prepareKeepNode } from './log-tree.ts';
import type { Db } from './open-database.ts';
import { unavailable } from './store-failure.ts';

const NO_RECORD = new Uint8Array(0);

export interface NewEntry {
  readonly leaf: Uint8Array;
  readonly atMs: number;
}

/** All of them as one segment, in order. */
export const prepareAppendEntries = (db: Db) => {
  const readLog = db.prepare('SELECT base, size, frontier, newest_ms FROM log WHERE log = ?');
  const writeLog = db.prepare('UPDATE log SET size = ?, frontier = ?, newest_ms = ? WHERE log = ?');
  const writeSegment = db.prepare('INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?)');
  return (log: string, entries: readonly NewEntry[]): void => {
    const head = readLog.get(log) as
      | { base: number; size: number; frontier: Buffer; newest_ms: number }
      | undefined;
    const frontier = head === undefined ? null : Frontier.fromBytes(head.frontier, sha256);
    if (head === undefined || frontier === null || frontier.size !== head.size) {
      throw unavailable('corrupt', new Error('the frontier of the log does not fit its size'));
    }
    const keepNode = prepareKeepNode(db, log);
    const hashes = entries.map(({ leaf }) => leafHash(leaf, sha256));
    for (const hashed of hashes) frontier.append(hashed, keepNode);
    const times = entries.map(({ atMs }) => atMs);
    const horizonMs = Math.max(head.newest_ms, ...times);
    const body = encodeSegment(entries.map(({ leaf }) => ({ record: NO_RECORD, leaf })));
    const place = [head.base + head.size, log, entries.length, Math.min(...times), horizonMs];
    writeSegment.run(...place, Buffer.concat(hashes), body);
    writeLog.run(frontier.size, frontier.toBytes(), horizonMs, log);
  };
};
