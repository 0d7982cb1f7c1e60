/** One group commit in SQLite: reads what is known and writes everything admitted, in one transaction. */
import { type Admission, admit, type Known } from '../commit/admit.ts';
import { buildCommit, type RequestResult, resultsOf } from '../commit/build-commit.ts';
import { isLate } from '../commit/lateness.ts';
import { type AnswerRow, storedAnswer } from '../rows.ts';
import { compressSegment, encodeSegment, giveBackCompressed } from '../segment.ts';
import { prepareAppendSegment } from './append-segment.ts';
import type { ArrivedGroup } from './commit-wire.ts';
import { FIND_ANSWER, prepareWriteAnswer } from './kept-answers.ts';
import type { Db } from './open-database.ts';
import { unavailable } from './store-failure.ts';

export type CommitGroup = (group: ArrivedGroup) => readonly RequestResult[];

export function prepareCommit(db: Db, log: string): CommitGroup {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const known = prepareKnown(db);
  const writeAdmission = prepareWriteAdmission(db);
  const { headOf, appendSegment } = prepareAppendSegment(db);

  function fill({ requests, segment, count }: ArrivedGroup): readonly RequestResult[] {
    const head = headOf(log);
    if (isLate(requests, head.newestMs)) throw unavailable('timeout', new Error('waited too long'));
    const admission = admit(requests, known);
    // Then nothing is written, so there is nothing to sync.
    if (admission.admitted === 0) return resultsOf(requests, admission, head.size, usedBefore, null);
    const built = buildCommit(head, requests, admission, (_, entry) => entry);
    const isWhole = admission.admitted === count;
    const body = isWhole ? compressSegment(segment) : encodeSegment(built.segment.entries);
    appendSegment(head, built.segment, body);
    giveBackCompressed(body);
    writeAdmission(admission);
    return built.results(usedBefore);
  }

  return (group) => {
    begin.run();
    try {
      const results = fill(group);
      // If nothing was written, this ends the transaction without a sync.
      commit.run();
      return results;
    } catch (thrown) {
      if (db.inTransaction) rollback.run();
      throw thrown;
    }
  };
}

function usedBefore(account: { readonly usedBefore: number }): number {
  return account.usedBefore;
}

/** Looked up inside the transaction, so it holds until the commit. */
function prepareKnown(db: Db): Known {
  const used = db.prepare('SELECT used FROM usage WHERE workspace = ? AND period = ? AND kind = ?').pluck();
  const answer = db.prepare(FIND_ANSWER);
  const consumed = db
    .prepare('SELECT 1 FROM consumed_attestation WHERE workspace = ? AND source = ? AND jti = ?')
    .pluck();
  const revoked = db
    .prepare('SELECT 1 FROM revoked_attestation WHERE workspace = ? AND source = ? AND jti = ?')
    .pluck();
  return {
    used: ({ workspace, period, kind }) => (used.get(workspace, period, kind) as number | undefined) ?? 0,
    answer(workspace, key, atMs) {
      const row = answer.get(workspace, key, atMs) as AnswerRow | undefined;
      return row === undefined ? undefined : storedAnswer(row);
    },
    isConsumed: ({ workspace, source, jti }) => consumed.get(workspace, source, jti) !== undefined,
    isRevoked: ({ workspace, source, jti }) => revoked.get(workspace, source, jti) !== undefined,
  };
}

/** Everything that a commit writes besides the log. */
function prepareWriteAdmission(db: Db): (admission: Admission<unknown>) => void {
  const writeUsage = db.prepare(
    `INSERT INTO usage VALUES (?, ?, ?, ?)
     ON CONFLICT (workspace, period, kind) DO UPDATE SET used = excluded.used`,
  );
  const writeAnswer = prepareWriteAnswer(db);
  const consume = db.prepare('INSERT INTO consumed_attestation VALUES (?, ?, ?)');
  return ({ accounts, answers, consumes }) => {
    for (const account of accounts) {
      const { workspace, period, kind, charged } = account;
      writeUsage.run(workspace, period, kind, account.usedBefore + charged);
    }
    for (const { workspace, key, stored } of answers) writeAnswer(workspace, key, stored);
    for (const { workspace, source, jti } of consumes) consume.run(workspace, source, jti);
  };
}
