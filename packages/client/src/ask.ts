/** Asks the service whether writes may run. Any failure becomes a block with its cause. */
import { given } from '@writecheck/contract';
import { askOnce } from './ask-once.ts';
import { callService } from './call-service.ts';
import type { CallOptions, CheckOptions } from './client-types.ts';
import type { Facts } from './facts.ts';
import { judgeAnswer } from './judge-answer.ts';
import { clientFault } from './local-decision.ts';
import { refusedOrInvalid } from './read-answers.ts';
import type { Run } from './run.ts';
import type { Settings } from './settings.ts';
import { digestOf, type IntentSnapshot, randomKey, sha256 } from './snapshot-intent.ts';
import { noDecision, type TimedDecision } from './timed-decision.ts';

/** How many keys a call uses before a random one: one, and one more after each pause that is stored for it. */
const KEYS_OF_A_CALL = 3;

export interface Service {
  readonly settings: Settings;
  readonly facts: Facts;
}

/** INVARIANT: every member is present, so that a polluted prototype provides none of them. */
interface Sending {
  readonly options: CheckOptions | undefined;
  /** When its time starts, on the monotonic clock; undefined for now. */
  readonly sinceMs: number | undefined;
  /** The claim that takes an allow for one run. */
  readonly claim: string | undefined;
}

/** Never rejects. */
async function checkOne(
  { settings, facts }: Service,
  snapshot: IntentSnapshot,
  { options, sinceMs, claim }: Sending,
): Promise<TimedDecision> {
  try {
    const { signal, idempotencyKey } = options ?? {};
    const intentDigest = await digestOf(snapshot);
    const requestId = randomKey();
    const called = await callService(settings, {
      path: '/v1/check-write',
      body: snapshot.json,
      expects: 'a decision',
      idempotencyKey: idempotencyKey ?? randomKey(),
      headers: {
        'x-request-id': requestId,
        ...given({ redeem: claim }),
      },
      signal,
      sinceMs,
    });
    if (called.kind === 'unanswered') return noDecision(called.cause);
    const { replayed, dateMs } = called.answer;
    // A random key belongs only to this call: a replay under it is the response to an earlier attempt.
    const replay = replayed
      ? { replay: { repliedAtMs: dateMs, mayBeOfAnotherCall: idempotencyKey !== undefined } }
      : {};
    const expected = { intentDigest, requestId, sentAtMs: called.sentAtMs, ...replay };
    const judged = judgeAnswer(called.value, expected);
    if (judged.kind !== 'valid')
      return noDecision(refusedOrInvalid(called.value, judged.fault, settings.apiKey));
    facts.note(judged.decision);
    return { ...judged, replayed };
  } catch (error) {
    // INVARIANT: any error in here ends as a block; it must not reach the caller as an exception.
    return noDecision(clientFault('the check failed inside the client', error));
  }
}

export async function ask(
  service: Service,
  asked: IntentSnapshot,
  options: CallOptions | undefined,
  run?: Run,
): Promise<TimedDecision> {
  const callId = options?.callId;
  const snapshot = await service.facts.add(asked, options);
  if (snapshot.kind === 'unanswered') return noDecision(snapshot.cause);
  // Clients in other languages encode a lone surrogate differently, so the same call would have two keys.
  if (callId !== undefined && (typeof callId !== 'string' || callId === '' || /\p{Surrogate}/u.test(callId)))
    return noDecision({ kind: 'client_fault', message: '`callId` must be valid text' });
  const claim = run?.claim;
  if (run !== undefined && claim !== undefined) {
    const checkOnce = (named: CheckOptions, sinceMs: number) =>
      checkOne(service, snapshot, { options: named, sinceMs, claim });
    return askOnce(checkOnce, snapshot, options);
  }
  if (callId !== undefined) return checkCall(service, snapshot, callId, options);
  const verdict = await checkOne(service, snapshot, { options, sinceMs: undefined, claim: undefined });
  return { ...verdict, repeated: verdict.replayed === true };
}

/** INVARIANT: of the responses stored for a call, only an allow is used again, and only while it is valid. */
async function checkCall(
  service: Service,
  snapshot: IntentSnapshot,
  callId: string,
  options: CallOptions | undefined,
): Promise<TimedDecision> {
  const sinceMs = performance.now();
  let stored: TimedDecision | undefined;
  for (let round = 0; ; round++) {
    const name = JSON.stringify([callId, round, snapshot.json]);
    const idempotencyKey = round < KEYS_OF_A_CALL ? await sha256(name).catch(randomKey) : randomKey();
    const named = { ...options, idempotencyKey };
    const verdict = await checkOne(service, snapshot, { options: named, sinceMs, claim: undefined });
    const { decision, replayed } = verdict;
    const isStale =
      decision.origin === 'client'
        ? decision.cause.code === 'idempotency_key_expired'
        : replayed && decision.decision !== 'allow';
    if (isStale && round < KEYS_OF_A_CALL) stored = verdict;
    // The service has responded before: a later outage must not replace that.
    else if (decision.origin === 'client' && stored !== undefined) return stored;
    else return { ...verdict, repeated: stored !== undefined };
  }
}
