/** Gives a response the form of AuthZEN: errors are text, and any request id is echoed. */
import type { Problem } from '@writecheck/contract';
import type { Answer } from '../../exchange/answer.ts';
import type { HttpRequest } from '../../exchange/request.ts';
import { evaluationStatus } from './evaluation-text.ts';

const ECHOED_BYTES_MAX = 1_024;

export function authzenAnswer(request: Pick<HttpRequest, 'header'>, answer: Answer): Answer {
  // Node reads each byte of a header as one character.
  const sent = request.header('x-request-id') ?? '';
  const echoed = sent !== '' && sent.length <= ECHOED_BYTES_MAX ? { ...answer, requestId: sent } : answer;
  const { code, body, headers } = echoed;
  if (code === undefined || typeof body !== 'string') return echoed;
  const { error } = JSON.parse(body) as Problem;
  return {
    ...echoed,
    status: evaluationStatus(code),
    headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
    body: error.message,
  };
}
