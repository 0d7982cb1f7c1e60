/** Writes a decision as an AuthZEN response, and replays a kept one. */
import {
  type DecisionTexts,
  type EngineDecision,
  ERROR_CATALOGUE,
  isoTime,
  type ResponseEnvelope,
} from '@writecheck/contract';
import type { AnswerTexts } from '../../check/draft-answer.ts';
import type { Refusal } from '../../exchange/refusal.ts';

/** Members that differ each time the same request is permitted, and those with sentences, which may name times. */
const IDENTIFYING = ['decision_id', 'evaluation_id', 'evaluated_at', 'valid_until'] as const;
const WORDED = ['remediation', 'warnings', 'reason_admin'] as const;
const TIME = /\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?/g;

/** `isBrief`: for a batch, whose permits are the same each time unless the caller prefers them whole. */
export function evaluationTexts(
  decided: EngineDecision,
  texts: DecisionTexts,
  envelope: ResponseEnvelope,
  reviewsUrl: () => string,
  isBrief: boolean,
): AnswerTexts {
  const whole = openingOf(decided, texts, envelope, reviewsUrl, false);
  if (!isBrief || decided.decision !== 'allow') return { opening: whole, closing: '}}' };
  return { opening: openingOf(decided, texts, envelope, reviewsUrl, true), closing: '}}', kept: whole };
}

function openingOf(
  { decision, evaluatedDecision, reasonCode, validUntil, remediation, review, warnings }: EngineDecision,
  { reason }: DecisionTexts,
  { decisionId, timestampMs, intentDigest, warnings: onParsing, redemption }: ResponseEnvelope,
  reviewsUrl: () => string,
  isBrief: boolean,
): string {
  const isAllow = decision === 'allow';
  const isObserved = isAllow && evaluatedDecision !== 'allow';
  const worded = isBrief ? timeless : asIs;
  let text = `{"decision":${isAllow},"context":{"reason":"${reasonCode}","reason_code":"${reasonCode}","decision":"${decision}"`;
  if (!isBrief) {
    text += `,"decision_id":"${decisionId}","evaluation_id":"${decisionId}","evaluated_at":"${isoTime(timestampMs)}"`;
    if (isAllow && validUntil !== undefined) text += `,"valid_until":"${isoTime(validUntil)}"`;
  }
  text += `,"intent_digest":"${intentDigest}","observed":${isObserved}`;
  if (!isAllow || isObserved) text += `,"remediation":${worded(JSON.stringify(remediation ?? []))}`;
  if (onParsing.length + warnings.length > 0)
    text += `,"warnings":${worded(JSON.stringify([...onParsing, ...warnings]))}`;
  text += `,"reason_admin":{"en":${worded(reason)}}`;
  if (redemption !== undefined) text += `,"redemption":${JSON.stringify(redemption)}`;
  if (review !== undefined)
    text += `,"review":${JSON.stringify({ controls: review.controls, endpoint: reviewsUrl() })}`;
  return text;
}

function asIs(text: string): string {
  return text;
}

function timeless(text: string): string {
  return text.replaceAll(TIME, '(time)');
}

/** A refused evaluation of a batch. INVARIANT: it is never a permit. */
export function evaluationError({ code, message }: Refusal): string {
  return JSON.stringify({
    decision: false,
    context: { error: { status: evaluationStatus(code), message } },
  });
}

/** A body that cannot be read is 400 whatever is wrong with it; a header keeps its own status. */
export function evaluationStatus(code: Refusal['code']): number {
  return code === 'unsupported_media_type' || code === 'invalid_intent' ? 400 : ERROR_CATALOGUE[code].status;
}

interface Evaluated {
  readonly decision: boolean;
  readonly context: { [member: string]: unknown };
}

/** A kept response is whole; it is sent as this request prefers it, with current receipts. */
export async function evaluationsAgain(
  kept: string,
  receiptOf: ((decisionId: string) => Promise<unknown>) | null,
  isBrief: boolean,
): Promise<string> {
  const answer = JSON.parse(kept) as Evaluated | { readonly evaluations: readonly Evaluated[] };
  const isBatch = 'evaluations' in answer;
  for (const { decision, context } of isBatch ? answer.evaluations : [answer]) {
    const { decision_id: id } = context;
    if (isBatch && isBrief && decision) shorten(context);
    const receipt = receiptOf === null || id === undefined ? null : await receiptOf(String(id));
    if (receipt !== null) context.receipt = receipt;
  }
  return JSON.stringify(answer);
}

function shorten(context: Evaluated['context']): void {
  for (const member of IDENTIFYING) delete context[member];
  for (const member of WORDED)
    if (member in context) context[member] = JSON.parse(timeless(JSON.stringify(context[member])));
}
