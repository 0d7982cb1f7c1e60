/** Decides whether a response is a valid decision for the intent that was sent, and until when. */
import { DECISIONS, type Decision, WRITE_INTENT_VERSION } from '@writecheck/contract';
import type { ServiceDecision, WriteDecision } from './decision-types.ts';

export interface Expectation {
  readonly intentDigest: string;
  /** When the first request of this call was sent, on the monotonic clock. */
  readonly sentAtMs: number;
  /**
   * Set if the response may be older than the call: the service's own time of replying, NaN if it gave none. A
   * lifetime then counts from there and not from the decision's timestamp.
   */
  readonly repliedAtMs?: number;
}

export type Judgement =
  | {
      readonly kind: 'valid';
      readonly decision: ServiceDecision;
      /** On the monotonic clock; Infinity if the decision names no end. */
      readonly expiresAtMs: number;
    }
  | { readonly kind: 'invalid'; readonly fault: string };

type Members = Readonly<Record<string, unknown>>;

export function judgeAnswer(answer: unknown, expected: Expectation): Judgement {
  const fault = findFault(answer);
  if (fault !== undefined) return invalid(fault);
  const members = answer as Members;
  if (Object.hasOwn(members, 'intentDigest') && members.intentDigest !== expected.intentDigest) {
    return invalid('its `intentDigest` is that of another intent');
  }
  const lifetimeMs = Object.hasOwn(members, 'validUntil')
    ? lifetime(members, expected.repliedAtMs)
    : Infinity;
  if (Number.isNaN(lifetimeMs)) return invalid('its `validUntil` cannot be checked');
  const { origin: _, ...rest } = members;
  const decision = { ...rest, decision: (members.decision as string).toLowerCase() } as ServiceDecision;
  return { kind: 'valid', decision, expiresAtMs: expected.sentAtMs + lifetimeMs };
}

/** Whether a value has every required member of a decision, each of its type and none contradicting another. */
export function isDecision(value: unknown): value is WriteDecision {
  return findFault(value) === undefined && DECISIONS.includes((value as WriteDecision).decision);
}

function findFault(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    return 'it is not a JSON object';
  // INVARIANT: only own members count, so that a polluted prototype cannot supply a missing one.
  const member = (name: string): unknown =>
    Object.hasOwn(answer, name) ? (answer as Members)[name] : undefined;
  if (member('schemaVersion') !== WRITE_INTENT_VERSION)
    return `its \`schemaVersion\` is not \`${WRITE_INTENT_VERSION}\``;
  for (const name of ['reason', 'reason_code']) {
    const text = member(name);
    if (typeof text !== 'string' || text === '') return `its \`${name}\` is missing or not text`;
  }
  const word = member('decision');
  const decision = typeof word === 'string' ? word.toLowerCase() : undefined;
  if (!DECISIONS.includes(decision as Decision)) return 'its `decision` is not one of allow, pause and block';
  if (member('allowed') !== (decision === 'allow')) return 'its `allowed` disagrees with its `decision`';
  const success = member('success');
  if (success !== undefined && success !== true) return 'its `success` is not true';
  if (decision === 'allow' && (member('error') ?? null) !== null) return 'it carries an `error`';
  return undefined;
}

/** How long the decision holds from the moment of sending; NaN if that cannot be determined. */
function lifetime(members: Members, repliedAtMs: number | undefined): number {
  const until = instant(members.validUntil);
  const from = Object.hasOwn(members, 'timestamp') ? instant(members.timestamp) : Number.NaN;
  // A Date header is truncated to the second: the reply may be up to 999 ms later than it says.
  return until - (repliedAtMs === undefined ? from : Math.max(from, repliedAtMs + 999));
}

const DATE_TIME =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Not the contract's parser, which accepts more forms than the service writes and takes five times the code. */
function instant(text: unknown): number {
  const day = typeof text === 'string' ? DATE_TIME.exec(text)?.[1] : undefined;
  // Some engines read 30 February as a day in March.
  return day !== undefined && new Date(day).toJSON()?.startsWith(day)
    ? Date.parse(text as string)
    : Number.NaN;
}

function invalid(fault: string): Judgement {
  return { kind: 'invalid', fault };
}
