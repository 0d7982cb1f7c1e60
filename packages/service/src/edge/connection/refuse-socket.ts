/** Responds to a client whose bytes are not a readable request, and hangs up. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { problemAnswer } from '../../exchange/problem-answer.ts';
import { type Refusal, refuse } from '../../exchange/refusal.ts';
import { requestContext, UNREAD } from '../../exchange/request-context.ts';
import { respondOnSocket } from '../write-response.ts';

/** Node's server refuses heads beyond these limits. */
export const HEAD_LIMITS = { bytes: 16 * 1024, timeoutMs: 10_000, requestTimeoutMs: 20_000 };

export function refuseSocket(socket: Socket, refusal: Refusal, status: number, nowMs: number): void {
  const context = requestContext(UNREAD, nowMs);
  const { headers, body: written } = problemAnswer(context, refusal);
  const body = (written as string).replace(/"status":\d+/, `"status":${status}`);
  respondOnSocket(socket, { status, headers, body }, context.requestId);
  socket.end(() => socket.destroy());
}

/** Refuses a head that Node's parser accepts but is invalid here. */
export function refuseHead({ httpVersion, headers, headersDistinct }: IncomingMessage): Refusal | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('the request is not HTTP/1.1');
  if ((headersDistinct.host?.length ?? 0) > 1) return malformed('the request names more than one host');
  return httpVersion === '1.1' && headers.host === undefined ? malformed('the request names no host') : null;
}

/** `code` is the error code of Node's parser. */
export function refuseBytes(code: string | undefined): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return malformed(`the request's head is larger than ${HEAD_LIMITS.bytes} bytes`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return malformed(
        `the request took too long to arrive; its head has ${HEAD_LIMITS.timeoutMs / 1_000} s and all of it ${HEAD_LIMITS.requestTimeoutMs / 1_000} s`,
      );
    default:
      return malformed('the request is not valid HTTP/1.1');
  }
}

/** The catalogue has no other code for an unreadable request. */
function malformed(message: string): Refusal {
  return refuse('malformed_json', message);
}
