/** Asks for an allow that only this run takes, under the key that every run of the same call derives alike. */
import { given } from '@writecheck/contract';
import type { CallOptions, CheckOptions } from './client-types.ts';
import type { LocalDecision, NoDecisionCause } from './decision-types.ts';
import { instant } from './judge-answer.ts';
import { localDecision } from './local-decision.ts';
import { own } from './own.ts';
import { invalidAnswer } from './read-answers.ts';
import { redeem } from './redeem.ts';
import type { Run } from './run.ts';
import type { Settings } from './settings.ts';
import { digestOf, type IntentSnapshot, sha256 } from './snapshot-intent.ts';
import { current, noDecision, type TimedDecision } from './timed-decision.ts';

/** Each means that an allow was given out under the key, and that this run did not get it. */
const TAKEN_CODES: readonly unknown[] = [
  'already_redeemed',
  'idempotency_key_reused',
  // A service without claims sends this.
  'idempotency_key_expired',
];

type Check = (options: CheckOptions, sinceMs: number) => Promise<TimedDecision>;

/**
 * INVARIANT: every run of a call asks under one key. A pause or a block leaves it free; the first run that gets an
 * allow has it, and every other run finds that allow.
 */
export async function askOnce(
  check: Check,
  snapshot: IntentSnapshot,
  options: CallOptions | undefined,
): Promise<TimedDecision> {
  const sinceMs = performance.now();
  const idempotencyKey = await keyOf(options, await digestOf(snapshot));
  return takenOrNot(await check({ ...options, idempotencyKey }, sinceMs));
}

/**
 * Undefined for a call without a name, whose key is random. INVARIANT: never derived from evidence, because a
 * call that is delivered again brings fresh evidence.
 */
async function keyOf(options: CallOptions | undefined, digest: string): Promise<string | undefined> {
  const { callId, idempotencyKey } = options ?? {};
  return callId === undefined ? idempotencyKey : sha256(JSON.stringify(['once', callId, digest]));
}

function takenOrNot(verdict: TimedDecision): TimedDecision {
  const { decision } = verdict;
  if (decision.origin !== 'client') return verdict;
  const { kind, code, decisionId } = decision.cause;
  return kind === 'refused' && TAKEN_CODES.includes(code) ? taken(decision.cause, decisionId) : verdict;
}

/**
 * INVARIANT: an allow runs a write only if this run took it. The service returns either exactly this run's
 * claim or none. In that case it does not support claims, and the allow is redeemed before the write.
 */
export async function takeAllow(
  settings: Settings,
  run: Run,
  verdict: TimedDecision,
  options: CallOptions | undefined,
): Promise<TimedDecision> {
  const { decision } = verdict;
  if (decision.decision !== 'allow') return verdict;
  const { decision_id: decisionId } = decision;
  const redemption = own(decision, 'redemption');
  if (redemption !== undefined) {
    const claim = own(redemption, 'claim');
    if (typeof claim !== 'string' || claim === '' || Number.isNaN(instant(own(redemption, 'redeemedAt'))))
      return noDecision(invalidAnswer('its `redemption` does not say who redeemed it and when'));
    return claim === run.claim ? verdict : taken({}, decisionId);
  }
  const signal = options?.signal;
  if (run.claim === undefined || current(verdict, signal) !== decision) return verdict;
  const answer = await redeem(settings, decision, { idempotencyKey: run.claim, signal });
  if (answer.kind === 'redeemed') return verdict;
  const { cause } = answer;
  if (cause.code === 'already_redeemed') return taken(cause, decisionId);
  // Not an outage: the service has decided, and the redemption may have arrived.
  return noDecision({
    ...cause,
    kind: 'not_redeemed',
    message: `the allow was not redeemed: ${cause.message}`,
  });
}

function taken(
  { status, code, requestId }: Partial<NoDecisionCause>,
  decisionId: string | undefined,
): TimedDecision {
  const cause: NoDecisionCause = {
    kind: 'taken',
    message: 'another run of this call has taken the allow',
    ...given({ status, code, requestId }),
  };
  const decision: LocalDecision = {
    ...localDecision(cause),
    ...(typeof decisionId === 'string' ? { decision_id: decisionId } : {}),
  };
  return { ...noDecision(cause), decision };
}
