/** Records what became of an allow, as reported by the key that asked or redeemed, or by an owner. */
import { OUTCOME, type Outcome } from '@writecheck/api';
import { isoTime } from '@writecheck/contract';
import { readRecord } from '@writecheck/ledger/log';
import { decisionTimeMs } from '@writecheck/store/log/decision-time';
import type { StoredOutcome } from '@writecheck/store/port/outcomes';
import { type Actor, actingOf } from '../../exchange/actor.ts';
import { answer, implement } from '../../exchange/implement.ts';
import { readJson } from '../../exchange/read-json.ts';
import { clockRefusal, type Refusal, refuse } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { isOwner } from '../people/refuse-actor.ts';
import { NO_SUCH_DECISION } from './no-such-decision.ts';

const RECORDED_MS_MAX = 30 * 24 * 60 * 60_000;
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
  return [
    implement(
      recordOutcome,
      async ({ context, actor, params, body }) => {
        const { workspace } = actor;
        const decisionId = params.id;
        // Nearly every report is about an allow that the same key has just been given.
        const found = check.recentAllows.has(decisionId, actor.id)
          ? { atMs: decisionTimeMs(decisionId)!, isAllow: true }
          : await foundFor(actor, decisionId);
        if (found === null) return NO_SUCH_DECISION;
        const read = readJson(recordOutcome.body, body);
        if (read.kind === 'refused') return read;
        if (!found.isAllow) return NOT_AN_ALLOW;
        const moment = check.clock.at(context.nowMs);
        if (moment.kind !== 'now') return clockRefusal(moment);
        const { nowMs } = moment;
        const decidedAtMs = found.atMs;
        if (nowMs > decidedAtMs + RECORDED_MS_MAX) return TOO_LATE;
        const { result, at = nowMs, note, ref } = read.value;
        if (at < decidedAtMs || at > nowMs + AHEAD_MS_MAX) return BAD_TIME;
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
      },
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
