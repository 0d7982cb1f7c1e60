/** One group commit: admission, charge, log, idempotency rows and used-up attestations in one transaction. */
import { hash } from 'node:crypto';
import { isoTime } from '@writecheck/contract';
import { Frontier, leafHash, type OnSubtree, type Sha256 } from '@writecheck/ledger';
import { CommitTree } from '../commit-tree.ts';
import type { CheckingKeyKind, Inclusion } from '../port.ts';
import { type AnswerRow, storedAnswer } from '../rows.ts';
import { compressSegment, encodeSegment, giveBackCompressed, type SegmentEntry } from '../segment.ts';
import type { ArrivedEntry, ArrivedGroup, ArrivedRequest } from './commit-wire.ts';
import { FIND_ANSWER, prepareKeepAnswer } from './kept-answers.ts';
import { prepareKeepNode } from './log-tree.ts';
import type { Db } from './open-database.ts';
import type { PlainEntryOutcome, PlainRequestOutcome } from './plain-outcome.ts';
import { unavailable } from './store-failure.ts';

/** A record may reach the log this much later than the newest one in it; what waited longer is refused. */
export const LATENESS_MS_MAX = 30_000;

const HASH_BYTES = 32;
export const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer');

/** The calendar month in UTC a check is charged to. */
const periodOf = (atMs: number): string => isoTime(atMs).slice(0, 7);

interface LogRow {
  readonly log: string;
  readonly base: number;
  readonly size: number;
  readonly frontier: Buffer;
  readonly newest_ms: number;
}

export type CommitGroup = (group: ArrivedGroup) => readonly PlainRequestOutcome[];

export const prepareCommit = (db: Db, log: string): CommitGroup => {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const readLog = db.prepare('SELECT log, base, size, frontier, newest_ms FROM log WHERE log = ?');
  const writeLog = db.prepare('UPDATE log SET size = ?, frontier = ?, newest_ms = ? WHERE log = ?');
  const writeSegment = db.prepare('INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?)');
  const readUsage = db
    .prepare('SELECT used FROM usage WHERE workspace = ? AND period = ? AND kind = ?')
    .pluck();
  const writeUsage = db.prepare(
    `INSERT INTO usage VALUES (?, ?, ?, ?)
     ON CONFLICT (workspace, period, kind) DO UPDATE SET used = excluded.used`,
  );
  const keepAnswer = prepareKeepAnswer(db);
  const findAnswer = db.prepare(FIND_ANSWER);
  const isConsumed = db
    .prepare('SELECT 1 FROM consumed_attestation WHERE workspace = ? AND source = ? AND jti = ?')
    .pluck();
  const isRevoked = db
    .prepare('SELECT 1 FROM revoked_attestation WHERE workspace = ? AND source = ? AND jti = ?')
    .pluck();
  const consume = db.prepare('INSERT INTO consumed_attestation VALUES (?, ?, ?)');
  const keepNode = prepareKeepNode(db, log);

  const conflicts = (workspace: string, entries: readonly ArrivedEntry[]): boolean => {
    let claimed: Set<string> | null = null;
    for (const entry of entries) {
      for (const { source, jti } of entry.restsOn) {
        if (isRevoked.get(workspace, source, jti) !== undefined) return true;
      }
      for (const { source, jti } of entry.consumes) {
        claimed ??= new Set();
        const name = JSON.stringify([source, jti]);
        if (claimed.has(name) || isConsumed.get(workspace, source, jti) !== undefined) return true;
        claimed.add(name);
      }
    }
    return false;
  };

  /** Everything between BEGIN and COMMIT; false where there is nothing to make durable. */
  const fill = ({ requests, segment }: ArrivedGroup, outcomes: PlainRequestOutcome[]): boolean => {
    // INVARIANT: the head is read from the database in every transaction, never remembered: another process may
    // have appended, and after a failed commit memory would be wrong.
    const head = readLog.get(log) as LogRow | undefined;
    if (head === undefined) throw unavailable('corrupt', new Error('the log this process writes to is gone'));
    const frontier = Frontier.fromBytes(head.frontier, sha256);
    if (frontier === null || frontier.size !== head.size) {
      throw unavailable('corrupt', new Error('the frontier of the log does not fit its size'));
    }
    const tree = requests.some(({ proven }) => proven) ? new CommitTree(head.frontier, sha256) : null;
    const before = tree === null ? null : { size: head.size, root: frontier.root() };
    const onSubtree: OnSubtree =
      tree === null
        ? keepNode
        : (level, index, hashed) => {
            keepNode(level, index, hashed);
            tree.keep(level, index, hashed);
          };
    const appended: SegmentEntry[] = [];
    const hashes: Uint8Array[] = [];
    const charges = new Map<
      string,
      [workspace: string, period: string, kind: CheckingKeyKind, used: number]
    >();
    let oldestMs = Number.MAX_SAFE_INTEGER;
    let horizonMs = head.newest_ms;

    const append = (entry: ArrivedEntry): number => {
      const { record, leaf, digestAt } = entry;
      leaf.write(hash('sha256', record), digestAt, 'latin1');
      const hashed = leafHash(leaf, sha256);
      const leafIndex = frontier.size;
      frontier.append(hashed, onSubtree);
      appended.push(entry);
      hashes.push(hashed);
      if (entry.atMs < oldestMs) oldestMs = entry.atMs;
      if (entry.atMs > horizonMs) horizonMs = entry.atMs;
      return leafIndex;
    };

    const admit = (request: ArrivedRequest, entry: ArrivedEntry): PlainEntryOutcome => {
      const { workspace, keyKind, limit } = request;
      const period = periodOf(entry.atMs);
      const account = `${period} ${keyKind} ${workspace}`;
      let charge = charges.get(account);
      if (charge === undefined) {
        const used = (readUsage.get(workspace, period, keyKind) as number | undefined) ?? 0;
        charge = [workspace, period, keyKind, used];
        charges.set(account, charge);
      }
      if (limit !== null && charge[3] >= limit) return { kind: 'quota_exceeded', used: charge[3], limit };
      charge[3] += 1;
      const leafIndex = append(entry);
      for (const { source, jti } of entry.consumes) consume.run(workspace, source, jti);
      return { kind: 'committed', leafIndex, used: charge[3] };
    };

    for (const request of requests) {
      const { workspace, entries, idempotency } = request;
      const atMs = entries[0]?.atMs ?? 0;
      if (atMs < head.newest_ms - LATENESS_MS_MAX) throw unavailable('timeout', new Error('waited too long'));
      if (idempotency !== null) {
        const row = findAnswer.get(workspace, idempotency.key, atMs) as AnswerRow | undefined;
        if (row !== undefined) {
          outcomes.push({ kind: 'twin', stored: storedAnswer(row) });
          continue;
        }
      }
      if (conflicts(workspace, entries)) {
        outcomes.push({ kind: 'attestation_conflict' });
        continue;
      }
      const admitted = entries.map((entry) => admit(request, entry));
      if (idempotency !== null && admitted.some(({ kind }) => kind === 'committed')) {
        keepAnswer(workspace, idempotency, entries, admitted);
      }
      outcomes.push({ kind: 'done', entries: admitted });
    }
    if (appended.length === 0) return false;
    if (tree !== null && before !== null) proveAll(tree, before, frontier, requests, outcomes);

    const leafHashes = Buffer.concat(hashes, hashes.length * HASH_BYTES);
    const isWhole = appended.length === requests.reduce((sum, { entries }) => sum + entries.length, 0);
    const position = head.base + head.size;
    const body = isWhole ? compressSegment(segment) : encodeSegment(appended);
    writeSegment.run(position, log, appended.length, oldestMs, horizonMs, leafHashes, body);
    giveBackCompressed(body);
    writeLog.run(frontier.size, frontier.toBytes(), horizonMs, log);
    for (const charge of charges.values()) writeUsage.run(...charge);
    return true;
  };

  /** Once every leaf of the commit is in the tree: a proof leads to the root that all of them share. */
  const proveAll = (
    tree: CommitTree,
    before: Inclusion['before'],
    frontier: Frontier,
    requests: readonly ArrivedRequest[],
    outcomes: PlainRequestOutcome[],
  ): void => {
    const at = { before, treeSize: frontier.size, root: frontier.root() };
    for (const [i, outcome] of outcomes.entries()) {
      if (!requests[i]!.proven || outcome.kind !== 'done') continue;
      const entries = outcome.entries.map((entry): PlainEntryOutcome => {
        if (entry.kind !== 'committed') return entry;
        const proof = tree.proofOf(entry.leafIndex, frontier.size);
        return { ...entry, inclusion: { ...at, proof } };
      });
      outcomes[i] = { kind: 'done', entries };
    }
  };

  return (group) => {
    const outcomes: PlainRequestOutcome[] = [];
    begin.run();
    try {
      if (fill(group, outcomes)) commit.run();
      else rollback.run();
      return outcomes;
    } catch (thrown) {
      if (db.inTransaction) rollback.run();
      throw thrown;
    }
  };
};
