/** Records what became of an allow, as reported by the key that asked or redeemed, or by an owner. */
import { OUTCOME, type Outcome } from '@writecheck/api';
import { isoTime } from '@writecheck/contract';
import { readRecord } from '@writecheck/ledger/log';
import { decisionTimeMs } from '@writecheck/store/log/decision-time';
import { REPORTED_MS_MAX, type StoredOutcome } from '@writecheck/store/port/outcomes';
import { inTurn } from '../../check/turns.ts';
import { type Actor, actingOf } from '../../exchange/actor.ts';
import type { Answer } from '../../exchange/answer.ts';
import { answer, implement } from '../../exchange/implement.ts';
import { problemAnswer } from '../../exchange/problem-answer.ts';
import { readJson } from '../../exchange/read-json.ts';
import { isRefusal, type Refusal, refuse } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { isOwner } from '../people/refuse-actor.ts';
import { NO_SUCH_DECISION } from './no-such-decision.ts';

const AHEAD_MS_MAX = 60_000;
const { recordOutcome } = OUTCOME;

interface FoundDecision {
  /** Of the key that asked. */
  readonly keyId: string;
  readonly atMs: number;
  readonly isAllow: boolean;
}

export function outcomeRoutes({ store, check }: ServiceParts): readonly Route[] {
  const mayTell = async (actor: Actor, decisionId: string, askedBy: string): Promise<boolean> => {
    if (isOwner(actor) || actor.id === askedBy) return true;
    if (actor.kind !== 'checking_key') return false;
    const [redeemed] = await store.redemptionTimes(actor.workspace, [decisionId]);
    const own = (await store.listKeys(actor.workspace)).filter(
      ({ lineage }) => lineage === actor.key.lineage,
    );
    return own.some(({ id }) => id === askedBy || id === redeemed?.keyId);
  };
  const recordedDecision = async (workspace: string, id: string): Promise<FoundDecision | null> => {
    const found = await store.findDecision(workspace, id);
    if (found === null) return null;
    const { decision, keyId, timestamp } = readRecord(found.record);
    return { keyId, atMs: Date.parse(timestamp), isAllow: decision.decision === 'allow' };
  };
  const foundFor = async (actor: Actor, id: string): Promise<FoundDecision | null> => {
    const found = await recordedDecision(actor.workspace, id);
    return found !== null && (await mayTell(actor, id, found.keyId)) ? found : null;
  };
  const record = async (
    decisionId: string,
    { actor, body }: Pick<KeyedCall, 'actor' | 'body'>,
    nowMs: number,
  ): Promise<Answer | Refusal> => {
    const { workspace } = actor;
    // Nearly every report is about an allow that the same key has just been given.
    const isRecent = check.recentAllows.has(decisionId, actor.id);
    const found = isRecent
      ? { atMs: decisionTimeMs(decisionId)!, isAllow: true }
      : await foundFor(actor, decisionId);
    if (found === null) return NO_SUCH_DECISION;
    // What is recent may have been erased since, which comes before anything that is wrong with the report.
    const unlessErased = async (refusal: Refusal): Promise<Refusal> =>
      isRecent && (await store.isErased(workspace, decisionId)) ? NO_SUCH_DECISION : refusal;
    const read = readJson(recordOutcome.body, body);
    if (read.kind === 'refused') return unlessErased(read);
    if (!found.isAllow) return NOT_AN_ALLOW;
    const decidedAtMs = found.atMs;
    if (nowMs > decidedAtMs + REPORTED_MS_MAX) return unlessErased(TOO_LATE);
    const { result, at = nowMs, note, ref } = read.value;
    if (at < decidedAtMs || at > nowMs + AHEAD_MS_MAX) return unlessErased(BAD_TIME);
    const recorded = await check.commits.report({
      workspace,
      decisionId,
      result,
      atMs: at,
      recordedAtMs: nowMs,
      by: actingOf(actor),
      note: note ?? null,
      ref: ref ?? null,
    });
    switch (recorded.kind) {
      case 'recorded':
        check.clock.saw(recorded.outcome.recordedAtMs);
        return answer(recordOutcome, { outcome: shownOutcome(recorded.outcome) });
      case 'no_decision':
        return NO_SUCH_DECISION;
      case 'other_result':
        return OTHER_RESULT;
      case 'unavailable':
        throw recorded.failure;
      case 'ended':
        return refuse(recorded.code, 'the key or session ended before the outcome was recorded');
    }
  };
  return [
    implement(
      recordOutcome,
      // INVARIANT: a report waits its turn like a check, so that those of one workspace hold no other's up.
      (call) =>
        inTurn(check, call, async (context) => {
          const done = await record(call.params.id, call, context.nowMs);
          return isRefusal(done) ? problemAnswer(context, done) : done;
        }),
      { readsBody: true, isReport: true },
    ),
  ];
}

export function shownOutcome({ result, atMs, recordedAtMs, by, note, ref }: StoredOutcome): Outcome {
  return { result, at: isoTime(atMs), recordedAt: isoTime(recordedAtMs), by, note, ref };
}

const NOT_AN_ALLOW: Refusal = refuse('not_redeemable', 'only an allow has an outcome');
const TOO_LATE: Refusal = refuse('not_redeemable', 'an outcome is recorded up to 30 days after the decision');
const OTHER_RESULT: Refusal = refuse(
  'outcome_recorded',
  'another result of this decision was recorded before',
);
const AT = '`at` must be from the time of the decision to 60 s ahead';
const BAD_TIME: Refusal = refuse('invalid_request', AT, [{ pointer: '/at', message: AT }]);
