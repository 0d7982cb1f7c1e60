/** Asks the service whether writes may run. Any failure becomes a block with its cause. */
import { given } from '@writecheck/contract';
import { askOnce } from './ask-once.ts';
import { callService } from './call-service.ts';
import type { CallOptions, CheckOptions } from './client-types.ts';
import type { NoDecisionCause } from './decision-types.ts';
import type { Facts } from './facts.ts';
import { judgeAnswer } from './judge-answer.ts';
import { clientFault } from './local-decision.ts';
import { invalidAnswer, readAnswers, refusedOrInvalid } from './read-answers.ts';
import type { Run } from './run.ts';
import type { Settings } from './settings.ts';
import { digestOf, type IntentSnapshot, randomKey, sha256 } from './snapshot-intent.ts';
import { noDecision, type TimedDecision } from './timed-decision.ts';

const BATCH_ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** How many keys a call uses before a random one: one, and one more after each pause that is stored for it. */
const KEYS_OF_A_CALL = 3;

export interface Service {
  readonly settings: Settings;
  readonly facts: Facts;
}

/** INVARIANT: every member is present, so that a polluted prototype provides none of them. */
interface Sending {
  readonly batch: boolean;
  readonly options: CheckOptions | undefined;
  /** When its time starts, on the monotonic clock; undefined for now. */
  readonly sinceMs: number | undefined;
  /** The claim that takes an allow for one run. */
  readonly claim: string | undefined;
}

/** One verdict for each snapshot, in order. Never rejects. */
async function check(
  { settings, facts }: Service,
  snapshots: readonly IntentSnapshot[],
  { batch, options, sinceMs, claim }: Sending,
): Promise<readonly TimedDecision[]> {
  const none = (cause: NoDecisionCause): readonly TimedDecision[] => snapshots.map(() => noDecision(cause));
  try {
    const { signal, idempotencyKey, receipt } = options ?? {};
    const digests = await Promise.all(snapshots.map(digestOf));
    const requestId = randomKey();
    const jsons = snapshots.map((snapshot) => snapshot.json);
    const called = await callService(settings, {
      path: `/v1/check-write${batch ? '/batch' : ''}`,
      body: batch ? `{"checks":[${jsons.join()}]}` : jsons.join(),
      expects: 'a decision',
      idempotencyKey: idempotencyKey ?? randomKey(),
      headers: {
        'x-request-id': requestId,
        ...(receipt ? { prefer: 'receipt' } : {}),
        ...given({ redeem: claim }),
      },
      ...(batch ? { maxAnswerBytes: BATCH_ANSWER_BYTES_MAX } : {}),
      signal,
      sinceMs,
    });
    if (called.kind === 'unanswered') return none(called.cause);
    const { replayed, dateMs } = called.answer;
    const answers = readAnswers(called.value, batch, snapshots.length);
    if (answers === undefined) return none(invalidAnswer('it does not have one result for each check'));
    // A random key belongs only to this call: a replay under it is the response to an earlier attempt.
    const replay = replayed
      ? { replay: { repliedAtMs: dateMs, mayBeOfAnotherCall: idempotencyKey !== undefined } }
      : {};
    return digests.map((intentDigest, index) => {
      const expected = { intentDigest, requestId, sentAtMs: called.sentAtMs, ...replay };
      const judged = judgeAnswer(answers[index], expected);
      if (judged.kind === 'valid') facts.note(judged.decision);
      return judged.kind === 'valid'
        ? { ...judged, replayed }
        : noDecision(refusedOrInvalid(answers[index], judged.fault, settings.apiKey));
    });
  } catch (error) {
    // INVARIANT: any error in here ends as a block; it must not reach the caller as an exception.
    return none(clientFault('the check failed inside the client', error));
  }
}

/** Sends all checks in one request. */
export function checkTogether(
  service: Service,
  snapshots: readonly IntentSnapshot[],
  options: CheckOptions | undefined,
): Promise<readonly TimedDecision[]> {
  return check(service, snapshots, { batch: true, options, sinceMs: undefined, claim: undefined });
}

async function checkOne(
  service: Service,
  snapshot: IntentSnapshot,
  options: CheckOptions | undefined,
  sinceMs?: number,
  claim?: string,
): Promise<TimedDecision> {
  return (await check(service, [snapshot], { batch: false, options, sinceMs, claim }))[0]!;
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
      checkOne(service, snapshot, named, sinceMs, claim);
    return askOnce(checkOnce, snapshot, options);
  }
  if (callId !== undefined) return checkCall(service, snapshot, callId, options);
  const verdict = await checkOne(service, snapshot, options);
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
    const named = JSON.stringify([callId, round, snapshot.json]);
    const idempotencyKey = round < KEYS_OF_A_CALL ? await sha256(named).catch(randomKey) : randomKey();
    const verdict = await checkOne(service, snapshot, { ...options, idempotencyKey }, sinceMs);
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
