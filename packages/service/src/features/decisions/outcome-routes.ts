/** Records the outcome of an allow, as reported by the key that asked or redeemed, or by an owner. */
import { OUTCOME, type Outcome } from '@writecheck/api';
import { isoTime } from '@writecheck/contract';
import { readRecord } from '@writecheck/ledger/log';
import { decisionTimeMs } from '@writecheck/store/log/decision-time';
import type { Store } from '@writecheck/store/port';
import { REPORTED_MS_MAX, type StoredOutcome } from '@writecheck/store/port/outcomes';
import { inTurn } from '../../check/turns.ts';
import { type Actor, actingOf } from '../../exchange/actor.ts';
import { type AnswerTo, answer, implement } from '../../exchange/implement.ts';
import { problemAnswer } from '../../exchange/problem-answer.ts';
import { readJson } from '../../exchange/read-json.ts';
import { isRefusal, type Refusal, refuse, refuseAt } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { isOwner } from '../people/refuse-actor.ts';
import { NO_SUCH_DECISION } from './no-such-decision.ts';

const AHEAD_MS_MAX = 60_000;
const { recordOutcome } = OUTCOME;

interface FoundDecision {
  readonly atMs: number;
  readonly isAllow: boolean;
}

export function outcomeRoutes({ store, check }: ServiceParts): readonly Route[] {
  return [
    implement(
      recordOutcome,
      // INVARIANT: a report waits its turn like a check, so that one workspace's reports do not delay
      // another's.
      (call) =>
        inTurn(check, call, async (context) => {
          const done = await record(store, check, call.params.id, call, context.nowMs);
          return isRefusal(done) ? problemAnswer(context, done) : done;
        }),
      { readsBody: true },
    ),
  ];
}

async function record(
  store: Store,
  check: ServiceParts['check'],
  decisionId: string,
  { actor, body }: Pick<KeyedCall, 'actor' | 'body'>,
  nowMs: number,
): Promise<AnswerTo<typeof recordOutcome> | Refusal> {
  const { workspace } = actor;
  // Nearly every report is about an allow that the same key has just been given.
  const isRecent = check.recentAllows.has(decisionId, actor.id);
  const found = isRecent
    ? { atMs: decisionTimeMs(decisionId)!, isAllow: true }
    : await foundFor(store, actor, decisionId);
  if (found === null) return NO_SUCH_DECISION;
  // A recent decision may have been erased since; that comes before any error in the report.
  const unlessErased = async (refusal: Refusal): Promise<Refusal> =>
    isRecent && (await store.isErased(workspace, decisionId)) ? NO_SUCH_DECISION : refusal;
  const read = readJson(recordOutcome.body, body);
  if (read.kind === 'refused') return unlessErased(read);
  if (!found.isAllow) return NOT_AN_ALLOW;
  const decidedAtMs = found.atMs;
  if (nowMs > decidedAtMs + REPORTED_MS_MAX) return unlessErased(TOO_LATE);
  const { result, at = nowMs, note = null, ref = null } = read.value;
  if (at < decidedAtMs || at > nowMs + AHEAD_MS_MAX) return unlessErased(BAD_TIME);
  const by = actingOf(actor);
  const report = { workspace, decisionId, result, atMs: at, recordedAtMs: nowMs, by, note, ref };
  const recorded = await check.commits.report(report);
  switch (recorded.kind) {
    case 'recorded':
      check.clock.saw(recorded.outcome.recordedAtMs);
      return answer(recordOutcome, 200, { outcome: shownOutcome(recorded.outcome) });
    case 'no_decision':
      return NO_SUCH_DECISION;
    case 'other_result':
      return OTHER_RESULT;
    case 'unavailable':
      throw recorded.failure;
    case 'ended':
      return refuse(
        recorded.code,
        'the key or session ended before the outcome was recorded; send it again with another key or session',
      );
  }
}

/** Null if there is none that the actor may report about. */
async function foundFor(store: Store, actor: Actor, id: string): Promise<FoundDecision | null> {
  const found = await store.findDecision(actor.workspace, id);
  if (found === null) return null;
  const { decision, keyId, timestamp } = readRecord(found.record);
  if (!(await mayReport(store, actor, id, keyId))) return null;
  return { atMs: Date.parse(timestamp), isAllow: decision.decision === 'allow' };
}

async function mayReport(store: Store, actor: Actor, decisionId: string, askedBy: string): Promise<boolean> {
  if (isOwner(actor) || actor.id === askedBy) return true;
  if (actor.kind !== 'checking_key') return false;
  const [redeemed] = await store.redemptionTimes(actor.workspace, [decisionId]);
  const keys = await store.listKeys(actor.workspace);
  const own = keys.filter(({ lineage }) => lineage === actor.key.lineage);
  return own.some(({ id }) => id === askedBy || id === redeemed?.keyId);
}

export function shownOutcome({ result, atMs, recordedAtMs, by, note, ref }: StoredOutcome): Outcome {
  return { result, at: isoTime(atMs), recordedAt: isoTime(recordedAtMs), by, note, ref };
}

const NOT_AN_ALLOW: Refusal = refuse(
  'not_redeemable',
  'only an allow has an outcome, and this decision is not one; check its id',
);
const TOO_LATE: Refusal = refuse('not_redeemable', 'an outcome is recorded up to 30 days after the decision');
const OTHER_RESULT: Refusal = refuse(
  'outcome_recorded',
  'another result of this decision was recorded before; find out which of them is right',
);
const AT = '`at` must be from the time of the decision to 60 s ahead';
const BAD_TIME: Refusal = refuseAt('/at', AT);
