/** Redeeming a decision, once. */
import { isoTime } from '@writecheck/contract';
import { judgeRedemption, type KnownAtRedemption } from '../commit/judge-redemption.ts';
import { redemptionEntry } from '../commit/new-entries.ts';
import { decisionIn, type ReplayableWhile } from '../port/commit.ts';
import { StoreUnavailable } from '../port/failure.ts';
import {
  keptRedeemKey,
  type RedeemOutcome,
  type Redemption,
  redeemClaimDigest,
} from '../port/redemptions.ts';
import { isKeyRevoked } from './acting.ts';
import { charge } from './charge.ts';
import { freezeNumber } from './freezes.ts';
import { endedUnderLog } from './lock-workspace.ts';
import {
  type Append,
  append,
  holdLogs,
  insertion,
  list,
  type Part,
  part,
  type Read,
  separated,
  sql,
  type Write,
} from './operation.ts';

export const TABLES = `
CREATE TABLE writecheck.redemption (
  workspace text NOT NULL,
  decision_id text NOT NULL,
  key_id text NOT NULL,
  redeemed_ms bigint NOT NULL,
  idempotency_key text,
  PRIMARY KEY (workspace, decision_id)
) WITHOUT ROWID;
`;

interface KnownRow {
  readonly claimed_for: string | null;
  readonly redeemed_ms: number | null;
  readonly kept_key: string | null;
  readonly revision: number | null;
  readonly digest: string | null;
  readonly created_ms: number | null;
  readonly is_revoked: number | boolean;
  readonly outcome: string | null;
}

interface AnswerRow {
  readonly workspace: string;
  readonly key: string;
  readonly replayable_while: string;
  readonly response: Uint8Array;
}

/** A redemption is replayed from its own row. */
const NO_RESPONSE = new Uint8Array(0);

/**
 * Redeems once under any concurrency, and records it in the log in the same commit. The caller checks that the
 * decision is an allow of that digest, because neither ever changes; the commit checks everything that may change.
 */
export function* redeem(redemption: Redemption): Append<RedeemOutcome> {
  if (yield* isKeyRevoked(redemption.keyId)) return { kind: 'ended', code: 'key_revoked' };
  // INVARIANT: a freeze or suspension holds this log until its commit, so it is either known here or begins after this
  // redemption.
  yield* holdLogs('own');
  const ended = yield* endedUnderLog(redemption.workspace);
  if (ended !== null) return { kind: 'ended', code: ended };
  // A redemption is small, and an allow has one.
  yield* charge(redemption.workspace, redemption.atMs, { mayRefuse: false });
  if ((yield* freezeNumber(redemption.workspace)) !== redemption.freezeNumber) return { kind: 'judge_again' };
  const seen = yield* lookUp(redemption);
  const refusal = judgeRedemption(redemption, knownOf(seen));
  if (refusal !== null) return refusal;
  if (!(yield* insertIfUnchanged(redemption, seen.revision ?? 0))) {
    const after = judgeRedemption(redemption, knownOf(yield* lookUp(redemption)));
    if (after === null)
      throw new StoreUnavailable('busy', 'the policy changed during the redemption; try again');
    return after;
  }
  yield* claim(redemption);
  yield* keepAnswer(redemption);
  yield* append((log) => [redemptionEntry(log, redemption)]);
  return { kind: 'redeemed', redeemedAtMs: redemption.atMs };
}

function* lookUp({ workspace, decisionId, idempotency, atMs, restsOn }: Redemption): Read<KnownRow> {
  const [row] = yield* sql<KnownRow>`SELECT r.redeemed_ms, r.idempotency_key AS kept_key,
      p.revision, p.digest, p.created_ms, ${revokedAmong(workspace, restsOn)} AS is_revoked,
      (SELECT result FROM writecheck.outcome WHERE workspace = ${workspace} AND decision_id = ${decisionId}) AS outcome,
      (SELECT request_digest FROM writecheck.idempotency WHERE workspace = ${workspace}
        AND key = ${idempotency?.key ?? null} AND expires_ms > ${atMs}) AS claimed_for
    FROM (SELECT 1 AS one) AS o
    LEFT JOIN writecheck.redemption r ON r.workspace = ${workspace} AND r.decision_id = ${decisionId}
    LEFT JOIN (SELECT revision, digest, created_ms FROM writecheck.policy WHERE workspace = ${workspace}
      ORDER BY revision DESC LIMIT 1) AS p ON true`;
  return row!;
}

function knownOf(row: KnownRow): KnownAtRedemption {
  return {
    claimedFor: row.claimed_for,
    before: row.redeemed_ms === null ? null : { redeemedAtMs: row.redeemed_ms, keptKey: row.kept_key },
    policy: row.digest === null ? null : { digest: row.digest, createdAtMs: row.created_ms! },
    isEvidenceRevoked: Boolean(row.is_revoked),
    isOver: row.outcome === 'done' || row.outcome === 'failed',
  };
}

/**
 * INVARIANT: of two redemptions of a decision one wins: the database refuses the other's row, which has the
 * same key. False if the policy or the evidence has changed since the lookup.
 */
function* insertIfUnchanged(redemption: Redemption, revision: number): Write<boolean> {
  const { workspace, decisionId, keyId, atMs, restsOn } = redemption;
  const inserted = yield* sql`INSERT INTO writecheck.redemption
      (workspace, decision_id, key_id, redeemed_ms, idempotency_key)
    SELECT ${workspace}::text, ${decisionId}::text, ${keyId}::text, ${atMs}::bigint, ${keptRedeemKey(redemption)}::text
    WHERE NOT ${revokedAmong(workspace, restsOn)} AND ${revision}::bigint =
      (SELECT coalesce(max(revision), 0) FROM writecheck.policy WHERE workspace = ${workspace})
    RETURNING 1`;
  return inserted.length === 1;
}

/** Binds the idempotency key to this redemption, unless another request has bound it meanwhile. */
function* claim(redemption: Redemption): Write<void> {
  const { workspace, idempotency, atMs } = redemption;
  if (idempotency === null) return;
  const { key, expiresAtMs } = idempotency;
  const digest = redeemClaimDigest(redemption)!;
  yield* sql`DELETE FROM writecheck.idempotency WHERE workspace = ${workspace} AND key = ${key}
    AND (expires_ms <= ${atMs} OR request_digest = ${digest})`;
  const row = {
    workspace,
    key,
    request_digest: digest,
    expires_ms: expiresAtMs,
    replayable_while: 'null',
    response: NO_RESPONSE,
  };
  yield* sql`INSERT INTO writecheck.idempotency ${insertion(row)}`;
}

/**
 * INVARIANT: the key of the check whose allow is redeemed now does not lead to a second allow a day later. Its
 * row is found only by the moment at which it expires: otherwise SQLite might use the index that begins with
 * the workspace.
 */
function* keepAnswer({ workspace, decisionId, atMs, answer }: Redemption): Write<void> {
  const rows =
    yield* sql<AnswerRow>`SELECT workspace, key, replayable_while, response FROM writecheck.idempotency
    WHERE expires_ms = ${answer.expiresAtMs}`;
  for (const { key, replayable_while, response, ...row } of rows) {
    if (row.workspace !== workspace || decisionIn(response) !== decisionId) continue;
    const replayableWhile = JSON.parse(replayable_while) as ReplayableWhile;
    const taken = { decisionId, redeemedAt: isoTime(atMs) };
    yield* sql`UPDATE writecheck.idempotency SET expires_ms = ${answer.keptUntilMs},
        replayable_while = ${JSON.stringify({ ...replayableWhile, taken })}
      WHERE workspace = ${workspace} AND key = ${key}`;
  }
}

function revokedAmong(workspace: string, items: Redemption['restsOn']): Part {
  if (items.length === 0) return part`(1 = 0)`;
  const names = items.map(({ source, jti }) => part`(${source}::text, ${{ compared: jti }}::text)`);
  return part`EXISTS (SELECT 1 FROM writecheck.revoked_attestation
    WHERE workspace = ${workspace} AND (source, jti) IN (VALUES ${separated(names)}))`;
}

/** The redemption times of those of these decisions that were redeemed. */
export function* redemptionTimes(
  workspace: string,
  decisionIds: readonly string[],
): Read<readonly Pick<Redemption, 'decisionId' | 'keyId' | 'atMs'>[]> {
  return yield* sql<Pick<Redemption, 'decisionId' | 'keyId' | 'atMs'>>`
    SELECT decision_id AS "decisionId", key_id AS "keyId", redeemed_ms AS "atMs" FROM writecheck.redemption
    WHERE workspace = ${workspace} AND decision_id IN (${list(decisionIds)})`;
}
