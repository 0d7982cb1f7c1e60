/** Appends one entry that is no decision to a log, within the transaction of whoever calls. */
import { Frontier, leafHash } from '@writecheck/ledger';
import { encodeSegment } from '../segment.ts';
import { sha256 } from './commit.ts';
import { prepareKeepNode } from './log-tree.ts';
import type { Db } from './open-database.ts';
import { unavailable } from './store-failure.ts';

const NO_RECORD = new Uint8Array(0);

/** Returns the index of the leaf. */
export const prepareAppendEntry = (db: Db) => {
  const readLog = db.prepare('SELECT base, size, frontier, newest_ms FROM log WHERE log = ?');
  const writeLog = db.prepare('UPDATE log SET size = ?, frontier = ?, newest_ms = ? WHERE log = ?');
  const writeSegment = db.prepare('INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?)');
  return (log: string, leaf: Uint8Array, atMs: number): number => {
    const head = readLog.get(log) as
      | { base: number; size: number; frontier: Buffer; newest_ms: number }
      | undefined;
    const frontier = head === undefined ? null : Frontier.fromBytes(head.frontier, sha256);
    if (head === undefined || frontier === null || frontier.size !== head.size) {
      throw unavailable('corrupt', new Error('the frontier of the log does not fit its size'));
    }
    const hashed = leafHash(leaf, sha256);
    frontier.append(hashed, prepareKeepNode(db, log));
    const horizonMs = Math.max(head.newest_ms, atMs);
    const body = encodeSegment([{ record: NO_RECORD, leaf }]);
    writeSegment.run(head.base + head.size, log, 1, atMs, horizonMs, hashed, body);
    writeLog.run(frontier.size, frontier.toBytes(), horizonMs, log);
    return head.size;
  };
};
