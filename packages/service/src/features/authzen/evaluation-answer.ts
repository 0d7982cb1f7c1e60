/** Maps the answer to a check to an AuthZEN evaluation, and errors to text. */
import { type DecisionResponse, ERROR_CATALOGUE, type ErrorCode, type Problem } from '@writecheck/contract';
import type { Answer } from '../../exchange/answer.ts';
import type { AnswerForm } from '../../exchange/route.ts';

export interface Evaluation {
  readonly decision: boolean;
  readonly context: { readonly [member: string]: unknown };
}

/** INVARIANT: a refused evaluation is never a permit. */
export function evaluationOf({ code, body }: Answer, publicUrl: () => string): Evaluation {
  if (code !== undefined) {
    const { message } = (JSON.parse(body as string) as Problem).error;
    return { decision: false, context: { error: { status: evaluationStatus(code), message } } };
  }
  const response = JSON.parse(body as string) as DecisionResponse;
  const { decision, reason, reason_code, decision_id, evaluatedDecision, validUntil, review } = response;
  const { remediation, warnings, redemption } = response;
  const isAllow = decision === 'allow';
  return {
    decision: isAllow,
    context: {
      reason: reason_code,
      reason_code,
      decision,
      decision_id,
      evaluation_id: decision_id,
      evaluated_at: response.timestamp,
      // JSON leaves out what is undefined.
      valid_until: validUntil,
      intent_digest: response.intentDigest,
      observed: isAllow && evaluatedDecision !== 'allow',
      remediation,
      warnings,
      reason_admin: { en: reason },
      redemption,
      review: review && { controls: review.controls, endpoint: `${publicUrl()}/v1/reviews` },
    },
  };
}

const TIME = /\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?/g;

/** Leaves out what differs each time the same request is permitted: ids, times, and times in sentences. */
export function brief({ decision, context }: Evaluation): Evaluation {
  if (!decision) return { decision, context };
  const { decision_id: _, evaluation_id: __, evaluated_at: ___, valid_until: ____, ...same } = context;
  const { remediation, warnings, reason_admin } = same;
  const worded = JSON.stringify({ remediation, warnings, reason_admin }).replaceAll(TIME, '(time)');
  return { decision, context: { ...same, ...(JSON.parse(worded) as Evaluation['context']) } };
}

/** A body that cannot be read is 400 whatever is wrong with it; a header keeps its own status. */
function evaluationStatus(code: ErrorCode): number {
  return code === 'unsupported_media_type' || code === 'invalid_intent' ? 400 : ERROR_CATALOGUE[code].status;
}

const ECHOED_BYTES_MAX = 1_024;

/** An error is its message as text. Any request id is echoed. */
export const AUTHZEN_FORM: AnswerForm = {
  statusOf: evaluationStatus,
  rewrite(request, answer) {
    // Node reads each byte of a header as one character.
    const sent = request.header('x-request-id') ?? '';
    const echoed = sent !== '' && sent.length <= ECHOED_BYTES_MAX ? { ...answer, requestId: sent } : answer;
    const { code, body, headers } = echoed;
    if (code === undefined || typeof body !== 'string') return echoed;
    return {
      ...echoed,
      status: evaluationStatus(code),
      headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
      body: (JSON.parse(body) as Problem).error.message,
    };
  },
};
