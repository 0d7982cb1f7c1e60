/** Decides whether a response is a valid decision for the intent that was sent, and until when. */
import { ALLOW_MS_MAX, DECISIONS, type Decision, WRITE_INTENT_VERSION } from '@writecheck/contract';
import type { ServiceDecision, WriteDecision } from './decision-types.ts';
import { own } from './own.ts';

export interface Expectation {
  readonly intentDigest: string;
  /** The random `X-Request-ID` that every attempt of this call carried. */
  readonly requestId: string;
  /** When the first request of this call was sent, on the monotonic clock. */
  readonly sentAtMs: number;
  /** Set if the service says that it had stored the decision. */
  readonly replay?: Replay;
}

export interface Replay {
  /** The Date header; NaN if there is none. The lifetime counts from there, not from the decision's timestamp. */
  readonly repliedAtMs: number;
  /** Another call may have used the same key before. The stored decision then carries that call's `request_id`. */
  readonly mayBeOfAnotherCall: boolean;
}

export type Judgement =
  | {
      readonly kind: 'valid';
      readonly decision: ServiceDecision;
      /** A time of the monotonic clock; Infinity for a pause and a block, which permit nothing. */
      readonly expiresAtMs: number;
    }
  | { readonly kind: 'invalid'; readonly fault: string };

export function judgeAnswer(answer: unknown, expected: Expectation): Judgement {
  const fault = findFault(answer) ?? findOtherWrite(answer, expected);
  if (fault !== undefined) return { kind: 'invalid', fault };
  const { origin: _, ...members } = answer as ServiceDecision;
  const decision = { ...members, decision: members.decision.toLowerCase() } as ServiceDecision;
  const lifetimeMs = decision.decision === 'allow' ? lifetimeOf(decision, expected) : Infinity;
  return typeof lifetimeMs === 'string'
    ? { kind: 'invalid', fault: lifetimeMs }
    : { kind: 'valid', decision, expiresAtMs: expected.sentAtMs + lifetimeMs };
}

/** Whether a value has every required member of a decision, each of its type and none contradicting another. */
export function isDecision(value: unknown): value is WriteDecision {
  return findFault(value) === undefined && DECISIONS.includes((value as WriteDecision).decision);
}

function findFault(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    return 'it is not a JSON object';
  if (own(answer, 'schemaVersion') !== WRITE_INTENT_VERSION)
    return `its \`schemaVersion\` is not \`${WRITE_INTENT_VERSION}\``;
  for (const name of ['reason', 'reason_code']) {
    const text = own(answer, name);
    if (typeof text !== 'string' || text === '') return `its \`${name}\` is missing or not text`;
  }
  const word = own(answer, 'decision');
  const decision = typeof word === 'string' ? word.toLowerCase() : undefined;
  if (!DECISIONS.includes(decision as Decision)) return 'its `decision` is not one of allow, pause and block';
  if (own(answer, 'allowed') !== (decision === 'allow')) return 'its `allowed` disagrees with its `decision`';
  return decision === 'allow' ? (findDenial(answer) ?? findContradiction(answer)) : findFailure(answer);
}

/** What in a response says that the request failed, whatever else it says. */
export function findDenial(answer: unknown): string | undefined {
  return (
    findFailure(answer) ?? ((own(answer, 'error') ?? null) === null ? undefined : 'it carries an `error`')
  );
}

function findFailure(answer: unknown): string | undefined {
  const success = own(answer, 'success');
  return success === undefined || success === true ? undefined : 'its `success` is not true';
}

function findContradiction(allow: unknown): string | undefined {
  if (own(allow, 'reason_code') === 'frozen') return 'it is an allow with the code `frozen`';
  const limits = own(allow, 'limits');
  const isList = Array.isArray(limits) && limits.every((one) => typeof own(one, 'beyond') === 'boolean');
  return limits === undefined || isList ? undefined : 'its `limits` cannot be read';
}

/** A pause or a block may omit its digest; an allow may not. */
function findOtherWrite(answer: unknown, { intentDigest }: Expectation): string | undefined {
  const isNamed = own(answer, 'allowed') || Object.hasOwn(answer as object, 'intentDigest');
  return isNamed && own(answer, 'intentDigest') !== intentDigest
    ? 'its `intentDigest` is not that of the intent'
    : undefined;
}

/**
 * How long an allow holds from the moment of sending, or why it permits nothing. INVARIANT: an allow names this
 * write, this request and its own end. An allow that omits any of them permits nothing.
 */
function lifetimeOf(allow: ServiceDecision, { requestId, replay }: Expectation): number | string {
  if (own(allow, 'execution_status') !== 'permitted') return 'its `execution_status` is not `permitted`';
  if (own(allow, 'request_id') !== requestId && !replay?.mayBeOfAnotherCall)
    return 'its `request_id` is not the `X-Request-ID` that was sent';
  const from = instant(own(allow, 'timestamp'));
  const until = instant(own(allow, 'validUntil'));
  if (until - from > ALLOW_MS_MAX) return 'its `validUntil` is more than 5 minutes after its `timestamp`';
  // A Date header is truncated to the second: the reply may be up to 999 ms later than it says.
  const lifetimeMs = until - (replay === undefined ? from : Math.max(from, replay.repliedAtMs + 999));
  return Number.isNaN(lifetimeMs) ? 'its `validUntil` cannot be checked' : lifetimeMs;
}

const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Milliseconds, NaN for anything else. Not the contract's parser, which accepts more forms than the service
 * writes and is five times the code.
 */
export function instant(text: unknown): number {
  const day = typeof text === 'string' ? DATE_TIME.exec(text)?.[1] : undefined;
  // Some engines read 30 February as a day in March.
  return day !== undefined && new Date(day).toJSON()?.startsWith(day)
    ? Date.parse(text as string)
    : Number.NaN;
}
