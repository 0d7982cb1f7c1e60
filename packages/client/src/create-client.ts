/** The client: asks before a write, and runs the write only on a valid allow. */
import type { WriteIntent } from '@writecheck/contract';
import { askService } from './ask-service.ts';
import type {
  AllowDecision,
  GuardOutcome,
  LocalDecision,
  NoDecisionCause,
  WriteDecision,
} from './decision-types.ts';
import { judgeAnswer } from './judge-answer.ts';
import { isOutage, localDecision } from './local-decision.ts';
import { invalidAnswer, readAnswers, refusedOrInvalid } from './read-answers.ts';
import { type ClientOptions, readSettings } from './settings.ts';
import { digestOf, hex, type IntentSnapshot, sha256, snapshotIntent } from './snapshot-intent.ts';

export interface CheckOptions {
  /** Stops the check: the outcome is a local block, never an exception. */
  readonly signal?: AbortSignal;
  /** To get one decision for one action over several calls or processes; a new key for each call if left out. */
  readonly idempotencyKey?: string;
  /** Asks the service to put a receipt into the decision. */
  readonly receipt?: boolean;
}

export interface CallOptions extends CheckOptions {
  /**
   * Names the call, instead of `idempotencyKey`. A repeat with the same name and intent gets the same allow while it is
   * valid; a pause or a block is decided again. The name must be unique to the call within the workspace.
   */
  readonly callId?: string;
}

export interface GuardOptions extends CallOptions {
  /** For an action that is not a protected production one: an outage (and nothing else) no longer stops the write. */
  readonly unprotected?: boolean;
}

export interface Client {
  /** Never rejects: where there is no valid decision, it is a local block with its cause. */
  checkWrite(intent: WriteIntent, options?: CallOptions): Promise<WriteDecision>;
  /** Up to 50 intents in one request; the decisions come in the order of the intents. */
  checkWrites(intents: readonly WriteIntent[], options?: CheckOptions): Promise<readonly WriteDecision[]>;
  /** Runs `write` only on a valid allow, and throws only what `write` throws. */
  guardWrite<T>(
    intent: WriteIntent,
    write: (decision: AllowDecision | LocalDecision) => T | PromiseLike<T>,
    options?: GuardOptions,
  ): Promise<GuardOutcome<T>>;
}

/** A decision with the moment on the monotonic clock from which it no longer counts. */
interface Verdict {
  readonly decision: WriteDecision;
  readonly expiresAtMs: number;
  readonly replayed?: boolean;
}

const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const BATCH_ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** How many keys a call has before it takes a random one: one, and one more after each pause that is stored for it. */
const KEYS_OF_A_CALL = 3;

/** Throws only for settings that cannot work, such as a missing key. */
export function createClient(options: ClientOptions = {}): Client {
  const settings = readSettings(options);

  /** One verdict for each snapshot, in order. Never rejects. */
  async function check(
    snapshots: readonly IntentSnapshot[],
    batch: boolean,
    options: CheckOptions | undefined,
    sinceMs?: number,
  ): Promise<readonly Verdict[]> {
    const none = (cause: NoDecisionCause): readonly Verdict[] =>
      snapshots.map(() => noDecision(redact(cause)));
    try {
      const { signal, idempotencyKey, receipt } = options ?? {};
      if (idempotencyKey !== undefined && !/^[!-~]{1,255}$/.test(idempotencyKey)) {
        return none({
          kind: 'client_fault',
          message: '`idempotencyKey` must be 1 to 255 visible ASCII characters',
        });
      }
      const digests = await Promise.all(snapshots.map(digestOf));
      const jsons = snapshots.map((snapshot) => snapshot.json);
      const asked = await askService(
        settings.fetch,
        {
          url: `${settings.baseUrl}/v1/check-write${batch ? '/batch' : ''}`,
          headers: {
            authorization: `Bearer ${settings.apiKey}`,
            'content-type': 'application/json',
            accept: 'application/json',
            'idempotency-key': idempotencyKey ?? randomKey(),
            ...(receipt ? { prefer: 'receipt' } : {}),
          },
          body: batch ? `{"checks":[${jsons.join()}]}` : jsons.join(),
          maxAnswerBytes: batch ? BATCH_ANSWER_BYTES_MAX : ANSWER_BYTES_MAX,
        },
        { timeoutMs: settings.timeoutMs, retries: settings.retries, signal, sinceMs },
      );
      if (asked.kind === 'unanswered') return none(asked.cause);
      const { text, replayed, dateMs } = asked.answer;
      const answers = readAnswers(text, batch, snapshots.length);
      if (answers === undefined) return none(invalidAnswer('it is not the JSON that was asked for'));
      // A key of the caller's own may bring back a decision older than this call, whether or not the answer says so.
      const repliedAtMs = replayed || idempotencyKey !== undefined ? { repliedAtMs: dateMs } : {};
      return digests.map((intentDigest, index) => {
        const judged = judgeAnswer(answers[index], {
          intentDigest,
          sentAtMs: asked.sentAtMs,
          ...repliedAtMs,
        });
        return judged.kind === 'valid'
          ? { ...judged, replayed }
          : noDecision(redact(refusedOrInvalid(answers[index], judged.fault)));
      });
    } catch {
      // INVARIANT: whatever breaks in here ends as a block; it must not reach the caller as an exception.
      return none({ kind: 'client_fault', message: 'the check failed inside the client' });
    }
  }

  /** A hostile or careless answer may echo the key; what we report must not. */
  function redact(cause: NoDecisionCause): NoDecisionCause {
    const clean = (text: string): string => text.replaceAll(settings.apiKey, '[key]');
    return {
      ...cause,
      message: clean(cause.message),
      ...(cause.code === undefined ? {} : { code: clean(cause.code) }),
      ...(cause.requestId === undefined ? {} : { requestId: clean(cause.requestId) }),
    };
  }

  async function checkOne(intent: WriteIntent, options: CallOptions | undefined): Promise<Verdict> {
    const snapshot = snapshotIntent(intent);
    if (snapshot.kind === 'unusable') return unusable();
    const callId = options?.callId;
    if (callId === undefined) return (await check([snapshot], false, options))[0]!;
    if (typeof callId !== 'string' || callId === '')
      return noDecision({ kind: 'client_fault', message: '`callId` must be text' });
    return checkCall(snapshot, callId, options);
  }

  /** INVARIANT: of what the service stored for a call only an allow is used again, and only while it is valid. */
  async function checkCall(
    snapshot: IntentSnapshot,
    callId: string,
    options: CallOptions | undefined,
  ): Promise<Verdict> {
    const sinceMs = performance.now();
    let stored: Verdict | undefined;
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
      // The service has spoken before: an outage that follows must not replace it.
      else return decision.origin === 'client' ? (stored ?? verdict) : verdict;
    }
  }

  return Object.freeze<Client>({
    async checkWrite(intent, options) {
      return current(await checkOne(intent, options));
    },

    async checkWrites(intents, options) {
      const snapshots = intents.map(snapshotIntent);
      const usable = snapshots.filter((snapshot) => snapshot.kind === 'snapshot');
      const verdicts = usable.length === 0 ? [] : await check(usable, true, options);
      const inOrder = verdicts.values();
      return snapshots.map((snapshot) =>
        current(snapshot.kind === 'unusable' ? unusable() : inOrder.next().value!),
      );
    },

    async guardWrite(intent, write, options) {
      // INVARIANT: only who calls says so: what every object has come to inherit does not count.
      const unprotected =
        options instanceof Object && Object.hasOwn(options, 'unprotected') && options.unprotected === true;
      const signal = options?.signal;
      const verdict = await checkOne(intent, options);
      const decision = current(verdict, signal);
      if (decision.decision === 'allow') return { executed: true, decision, result: await write(decision) };
      if (unprotected && decision.origin === 'client' && isOutage(decision.cause)) {
        return { executed: true, unprotected: true, decision, result: await write(decision) };
      }
      return { executed: false, decision };
    },
  });
}

/** The decision as it stands now: an allow that has run out, or that nobody waits for any more, is none. */
function current({ decision, expiresAtMs }: Verdict, signal?: AbortSignal): WriteDecision {
  if (signal?.aborted) return localDecision({ kind: 'aborted', message: 'the caller aborted the check' });
  if (performance.now() < expiresAtMs) return decision;
  return localDecision({ kind: 'expired', message: 'the decision was no longer valid when it arrived' });
}

function noDecision(cause: NoDecisionCause): Verdict {
  return { decision: localDecision(cause), expiresAtMs: Number.POSITIVE_INFINITY };
}

function unusable(): Verdict {
  return noDecision({ kind: 'invalid_intent', message: 'the intent cannot be written as a JSON object' });
}

/** Not randomUUID, which browsers keep from pages without TLS. */
function randomKey(): string {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}
