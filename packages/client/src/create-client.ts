/** The client: asks before a write, and runs the write only on a valid allow. */
import { askOnce } from './ask-once.ts';
import { callService } from './call-service.ts';
import type { CallOptions, CheckOptions, Client } from './client-types.ts';
import type { NoDecisionCause, Unanswered } from './decision-types.ts';
import { factsFor } from './facts.ts';
import { guardWrite, type Lent, resumeWrite } from './guard-write.ts';
import { judgeAnswer } from './judge-answer.ts';
import { clientFault } from './local-decision.ts';
import { invalidAnswer, readAnswers, refusedOrInvalid } from './read-answers.ts';
import { redeem } from './redeem.ts';
import { requirements } from './requirements.ts';
import { openReview, waitForReview } from './review-calls.ts';
import type { Run } from './run.ts';
import { type ClientOptions, readSettings } from './settings.ts';
import { digestOf, type IntentSnapshot, randomKey, sha256, snapshotIntent } from './snapshot-intent.ts';
import { current, noDecision, type TimedDecision, unusable } from './timed-decision.ts';

const BATCH_ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** How many keys a call has before it takes a random one: one, and one more after each pause that is stored for it. */
const KEYS_OF_A_CALL = 3;
const FACTS_AT_ONCE = 8;

/** Throws only for settings that cannot work, such as a missing key. */
export function createClient(options: ClientOptions = {}): Client {
  const settings = readSettings(options);
  const facts = factsFor(settings);

  /** One verdict for each snapshot, in order. Never rejects. */
  async function check(
    snapshots: readonly IntentSnapshot[],
    batch: boolean,
    options: CheckOptions | undefined,
    sinceMs?: number,
    claim?: string,
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
          ...(claim === undefined ? {} : { redeem: claim }),
        },
        ...(batch ? { maxAnswerBytes: BATCH_ANSWER_BYTES_MAX } : {}),
        signal,
        sinceMs,
      });
      if (called.kind === 'unanswered') return none(called.cause);
      const { replayed, dateMs } = called.answer;
      const answers = readAnswers(called.value, batch, snapshots.length);
      if (answers === undefined) return none(invalidAnswer('it does not have one result for each check'));
      // A random key belongs to this call alone: what is replayed under it is the response to an earlier attempt.
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

  async function ask(
    asked: IntentSnapshot,
    options: CallOptions | undefined,
    run?: Run,
  ): Promise<TimedDecision> {
    const callId = options?.callId;
    const snapshot = await facts.add(asked, options);
    if (snapshot.kind === 'unanswered') return noDecision(snapshot.cause);
    if (callId !== undefined && (typeof callId !== 'string' || callId === ''))
      return noDecision({ kind: 'client_fault', message: '`callId` must be text' });
    const claim = run?.claim;
    if (run !== undefined && claim !== undefined) {
      const checkOnce = async (named: CheckOptions, sinceMs: number) =>
        (await check([snapshot], false, named, sinceMs, claim))[0]!;
      return askOnce(checkOnce, snapshot, options, run);
    }
    if (callId !== undefined) return checkCall(snapshot, callId, options);
    const verdict = (await check([snapshot], false, options))[0]!;
    return { ...verdict, repeated: verdict.replayed === true };
  }

  /** INVARIANT: of what the service stored for a call, only an allow is used again, and only while it is valid. */
  async function checkCall(
    snapshot: IntentSnapshot,
    callId: string,
    options: CallOptions | undefined,
  ): Promise<TimedDecision> {
    const sinceMs = performance.now();
    let stored: TimedDecision | undefined;
    for (let round = 0; ; round++) {
      const named = JSON.stringify([callId, round, snapshot.json]);
      const idempotencyKey = round < KEYS_OF_A_CALL ? await sha256(named).catch(randomKey) : randomKey();
      const verdict = (await check([snapshot], false, { ...options, idempotencyKey }, sinceMs))[0]!;
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

  const lent: Lent = { settings, ask };

  return Object.freeze<Client>({
    async checkWrite(intent, options) {
      const snapshot = snapshotIntent(intent);
      return current(snapshot.kind === 'unusable' ? unusable() : await ask(snapshot, options));
    },

    async checkWrites(intents, options) {
      const snapshots = intents.map(snapshotIntent);
      const informed: (ReturnType<typeof snapshotIntent> | Unanswered)[] = [];
      // A few at a time: a reader refuses more than 16 at once.
      for (let at = 0; at < snapshots.length; at += FACTS_AT_ONCE) {
        const some = snapshots.slice(at, at + FACTS_AT_ONCE);
        const added = some.map((snapshot) =>
          snapshot.kind === 'unusable' ? snapshot : facts.add(snapshot, options),
        );
        informed.push(...(await Promise.all(added)));
      }
      const usable = informed.filter((snapshot) => snapshot.kind === 'snapshot');
      const verdicts = usable.length === 0 ? [] : await check(usable, true, options);
      const inOrder = verdicts.values();
      return informed.map((snapshot) => {
        if (snapshot.kind === 'unusable') return current(unusable());
        return current(snapshot.kind === 'unanswered' ? noDecision(snapshot.cause) : inOrder.next().value!);
      });
    },

    guardWrite: (intent, write, options) => guardWrite(lent, intent, write, options),
    resumeWrite: (reviewId, intent, write, options) => resumeWrite(lent, reviewId, intent, write, options),
    openReview: (decisionId, options = {}) => openReview(settings, decisionId, options),
    waitForReview: (reviewId, options = {}) => waitForReview(settings, reviewId, options),
    async requirements(intent, options = {}) {
      const snapshot = snapshotIntent(intent);
      // With the facts that a check would send: without them, rules that read facts would apply that do not.
      const informed = snapshot.kind === 'unusable' ? snapshot : await facts.add(snapshot, options);
      return informed.kind === 'unanswered' ? informed : requirements(settings, informed, options);
    },
    redeem: (decision, options = {}) => redeem(settings, decision, options),
  });
}
