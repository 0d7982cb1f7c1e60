/** One group commit in SQLite: reads what is known and writes everything admitted, in one transaction. */
import { type Known, NO_BUNDLE } from '../commit/admit.ts';
import { type BytesOf, buildCommit, type RequestResult, resultsOf } from '../commit/build-commit.ts';
import { endedCode } from '../commit/ended-code.ts';
import { type GuessedGroup, GuessedKeys, KeyExists } from '../commit/guess-keys.ts';
import { isLate } from '../commit/lateness.ts';
import { movedRecord } from '../commit/moved-record.ts';
import { BYTES, bytesOfOutcome, dayOf } from '../commit/stored-bytes.ts';
import { encodeSegment, giveBackCompressed, type StoredEntry } from '../log/segment.ts';
import type { WorkspaceState } from '../port/keys.ts';
import type { MovedLimits } from '../port/limits.ts';
import type { NewOutcome } from '../port/outcomes.ts';
import type { StoreUnavailable } from '../port.ts';
import { type AnswerRow, storedAnswer } from '../rows.ts';
import type { JudgedOutcomes } from '../tables/outcomes.ts';
import { prepareAppendSegment } from './append-segment.ts';
import type { ArrivedGroup, ArrivedRequest } from './arrived-group.ts';
import { fillInDigest } from './commit-wire.ts';
import type { Db } from './open-database.ts';
import { prepareChargeBytes } from './run-operation.ts';
import { unavailable } from './store-failure.ts';

/** The result of a group: one for each request and each reported outcome, or why it was left out. */
type GroupResult =
  | {
      readonly kind: 'results';
      readonly results: readonly RequestResult[];
      readonly judged: JudgedOutcomes;
    }
  | { readonly kind: 'late'; readonly failure: StoreUnavailable };

/** All groups in one transaction and one sync: one result for each, or an error for all. */
type CommitGroups = (groups: readonly ArrivedGroup[]) => readonly GroupResult[];

/** `judge` runs within the transaction of the commit, which appends the entries of what changed. */
export function prepareCommit(
  db: Db,
  log: string,
  judge: (outcomes: readonly NewOutcome[]) => JudgedOutcomes,
  storesAtMost: number | null,
): CommitGroups {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const keys = new GuessedKeys(prepareKnown(db, storesAtMost));
  const writeAdmission = prepareWriteAdmission(db);
  const chargeBytes = prepareChargeBytes(db, storesAtMost !== null);
  const { headOf, appendSegment, writeHead } = prepareAppendSegment(db);

  function writeGroups(groups: readonly ArrivedGroup[]): readonly GroupResult[] {
    const before = headOf(log);
    const isLeftOut = lateGroups(groups, before.newestMs);
    const timely = groups.filter((_, i) => !isLeftOut[i]);
    // INVARIANT: all groups are admitted together, so each request sees what those before it took.
    const admission = keys.admit(timely.flatMap(({ requests }) => requests));
    let head = before;
    let next = 0;
    const results = groups.map((group, i): GroupResult => {
      if (isLeftOut[i]) return LATE;
      const { outcomes } = group;
      const requests = admission.requests.slice(next, next + group.requests.length);
      next += group.requests.length;
      const groupAdmission = { requests };
      const judged = outcomes.length === 0 ? NOTHING_JUDGED : judge(outcomes);
      // Nothing is written for such a group.
      if (judged.changed.size === 0 && !requests.some(({ kind }) => kind === 'admitted')) {
        const refused = resultsOf(groupAdmission, head.size, ({ usedBefore }) => usedBefore);
        return { kind: 'results', results: refused, judged };
      }
      let isMoved = false;
      const bytesOf: BytesOf<ArrivedRequest> = {
        decision(request, moved) {
          if (moved === null) return request.entry;
          isMoved = true;
          return movedEntry(request, moved);
        },
        redemption: ({ redemption }) => redemption!,
      };
      const reports = outcomes.flatMap((outcome, number) =>
        judged.changed.has(outcome) ? [group.report(number)] : [],
      );
      for (const outcome of judged.changed) {
        const { workspace, recordedAtMs } = outcome;
        chargeBytes({ workspace, day: dayOf(recordedAtMs), bytes: bytesOfOutcome(outcome) });
      }
      const built = buildCommit(head, groupAdmission, bytesOf, reports);
      // The buffer still holds the entries as they were before counters moved.
      const isWhole = !isMoved && built.segment.entries.length === group.count;
      const body = isWhole ? group.stored() : encodeSegment(built.segment.entries);
      head = appendSegment(head, built.segment, body);
      // A finished group has brought its own body, in the buffer that its sender uses again.
      if (body.buffer !== group.buffer) giveBackCompressed(body);
      return { kind: 'results', results: built.results(({ usedBefore }) => usedBefore), judged };
    });
    if (head !== before) {
      writeHead(head);
      writeAdmission(admission);
      for (const stored of admission.stored) chargeBytes(stored);
    }
    return results;
  }

  const attempt: CommitGroups = (groups) => {
    begin.run();
    try {
      const results = writeGroups(groups);
      // If nothing was written, this ends the transaction without a sync.
      commit.run();
      return results;
    } catch (thrown) {
      if (db.inTransaction) rollback.run();
      throw thrown;
    }
  };
  return (groups) => keys.commit(() => attempt(groups));
}

/** Its record gets the current counters, and its leaf the new digest. */
function movedEntry({ entry, limits }: ArrivedRequest, moved: MovedLimits): StoredEntry {
  const record = movedRecord(entry.record, limits!, moved);
  const leaf = Buffer.from(entry.leaf);
  fillInDigest({ record, leaf });
  return { record, leaf };
}

const NOTHING_JUDGED: JudgedOutcomes = { recorded: [], changed: new Set() };
const LATE: GroupResult = { kind: 'late', failure: unavailable('timeout', new Error('waited too long')) };

/** Measured against the log and the groups before it, because all of them become one piece of log. */
function lateGroups(groups: readonly ArrivedGroup[], newestMs: number): readonly boolean[] {
  let newest = newestMs;
  return groups.map(({ requests }) => {
    if (isLate(requests, newest)) return true;
    for (const { atMs } of requests) newest = Math.max(newest, atMs);
    return false;
  });
}

interface WorkspaceRow {
  readonly state: WorkspaceState;
  readonly has_ceilings: number;
}

/** Looked up inside the transaction, so it holds until the commit. */
function prepareKnown(db: Db, storesAtMost: number | null): Known {
  const used = db.prepare('SELECT used FROM usage WHERE workspace = ? AND period = ? AND kind = ?').pluck();
  const answer = db.prepare(
    `SELECT request_digest, expires_ms, replayable_while, response FROM idempotency
     WHERE workspace = ? AND key = ? AND expires_ms > ?`,
  );
  // Reading all four in one statement makes a commit 15 us slower.
  const workspace = db.prepare(
    'SELECT state, signed_up AND NOT live_granted AS has_ceilings FROM workspace WHERE id = ?',
  );
  const stored = db
    .prepare(`SELECT used FROM usage WHERE workspace = ? AND period = ? AND kind = '${BYTES}'`)
    .pluck();
  const keyRevoked = db.prepare(
    `SELECT 1 FROM api_key WHERE id = ? AND (revoked_ms IS NOT NULL
       OR EXISTS (SELECT 1 FROM person WHERE person.id = held_by AND state = 'disabled'))`,
  );
  const frozen = db.prepare('SELECT number FROM freeze_number WHERE workspace = ?').pluck();
  const running = db.prepare(
    'SELECT digest, has_limits FROM policy WHERE workspace = ? ORDER BY revision DESC LIMIT 1',
  );
  const draws = db.prepare('SELECT draws FROM limit_draws WHERE place = ?').pluck();
  const restored = db.prepare('SELECT restored_ms FROM limit_restored').pluck();
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
    stored: (...day) => (stored.get(...day) as number | undefined) ?? 0,
    basis(id, keyId) {
      const found = workspace.get(id) as WorkspaceRow | undefined;
      const row = running.get(id) as { digest: string; has_limits: number } | undefined;
      return {
        ended: endedCode({
          state: found?.state ?? null,
          is_revoked: keyRevoked.get(keyId) !== undefined,
        }),
        freezeNumber: (frozen.get(id) as number | undefined) ?? 0,
        running: row === undefined ? NO_BUNDLE : { digest: row.digest, hasLimits: row.has_limits === 1 },
        storesAtMost: found?.has_ceilings === 1 ? storesAtMost : null,
      };
    },
    isConsumed: ({ workspace, source, jti }) => consumed.get(workspace, source, jti) !== undefined,
    isRevoked: ({ workspace, source, jti }) => revoked.get(workspace, source, jti) !== undefined,
    draws(place) {
      const text = draws.get(Buffer.from(place, 'hex')) as string | undefined;
      return { draws: text ?? '', restoredMs: (restored.get() as number | undefined) ?? null };
    },
  };
}

/** Everything that a commit writes besides the log. */
function prepareWriteAdmission(db: Db): (admission: GuessedGroup<unknown>) => void {
  const writeUsage = db.prepare(
    `INSERT INTO usage VALUES (?, ?, ?, ?)
     ON CONFLICT (workspace, period, kind) DO UPDATE SET used = excluded.used`,
  );
  const [addAnswer, replaceAnswer] = (['IGNORE', 'REPLACE'] as const).map((otherwise) =>
    db.prepare(`INSERT OR ${otherwise} INTO idempotency
      (workspace, key, request_digest, expires_ms, replayable_while, response) VALUES (?, ?, ?, ?, ?, ?)`),
  );
  const consume = db.prepare('INSERT INTO consumed_attestation VALUES (?, ?, ?)');
  const draw = db.prepare(
    `INSERT INTO limit_draws (place, texts, draws, until_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT (place) DO UPDATE SET draws = excluded.draws, until_ms = excluded.until_ms`,
  );
  const redeem = db.prepare('INSERT INTO redemption VALUES (?, ?, ?, ?, NULL)');
  return ({ accounts, answers, isGuess, consumes, draws, redemptions }) => {
    for (const account of accounts) {
      const { workspace, period, kind, charged } = account;
      writeUsage.run(workspace, period, kind, account.usedBefore + charged);
    }
    // If keys were looked up, any earlier response under them has expired: otherwise it would have been the
    // result.
    const writeAnswer = isGuess ? addAnswer! : replaceAnswer!;
    for (const { workspace, key, row } of answers) {
      const { request_digest, expires_ms, replayable_while, response } = row;
      const written = writeAnswer.run(workspace, key, request_digest, expires_ms, replayable_while, response);
      if (written.changes === 0) throw new KeyExists();
    }
    for (const { workspace, source, jti } of consumes) consume.run(workspace, source, jti);
    for (const { place, texts, draws: drawn, untilMs } of draws)
      draw.run(Buffer.from(place, 'hex'), texts, drawn, untilMs);
    for (const { workspace, decisionId, keyId, atMs } of redemptions)
      redeem.run(workspace, decisionId, keyId, atMs);
  };
}
