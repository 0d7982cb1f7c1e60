/** One HTTP attempt: sends the bytes, and reads a limited number back. */
import { given } from '@writecheck/contract';
import { conceal } from './conceal.ts';
import type { CauseKind, NoDecisionCause } from './decision-types.ts';
import type { Fetch, FetchInit, FetchResponse } from './platform.ts';

export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** If omitted, the request is a GET. */
  readonly body?: string;
  /** A success besides 200, for a request that may create something. */
  readonly alsoStatus?: 201;
  /** The expected response, for messages. */
  readonly expects: string;
  /** How many decoded bytes of a response are read before it counts as unusable. */
  readonly maxAnswerBytes: number;
}

export interface Answer {
  readonly kind: 'answer';
  readonly text: string;
  readonly status: number;
  readonly replayed: boolean;
  /** The Date header; NaN if there is none. */
  readonly dateMs: number;
}

export interface Failure {
  readonly kind: 'failure';
  readonly cause: NoDecisionCause;
  /** `never`, or after a backoff plus the time that the service asks for. */
  readonly retryAfterMs: number | 'never';
}

const PROBLEM_BYTES_MAX = 65_536;
const DECISION_ID = /\bdec_[0-9A-Za-z]{1,60}\b/;
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/**
 * `noteRefusal` is called for a response that is not an outage before its body is read, however slowly that arrives.
 */
export async function exchange(
  fetch: Fetch,
  request: OutgoingRequest,
  signal: FetchInit['signal'],
  noteRefusal: (cause: NoDecisionCause) => void,
): Promise<Answer | Failure> {
  let response: FetchResponse;
  try {
    // A followed redirect would carry the key to a place nobody configured; `error` would look like an outage.
    const { url, headers, body } = request;
    const message = body === undefined ? { method: 'GET' as const } : { method: 'POST' as const, body };
    response = await fetch(url, { ...message, headers: { ...headers }, redirect: 'manual', signal });
  } catch (error) {
    if (hasAnswered(error))
      return failure('invalid_answer', `the response is not readable HTTP${systemCode(error)}`, 'never');
    return failure('connection_failed', `the connection to the service failed${systemCode(error)}`, 0);
  }
  const { status } = response;
  if (response.type === 'opaqueredirect' || response.redirected || (status >= 300 && status < 400)) {
    discard(response.body);
    return failure('redirect', 'the service answered with a redirect, which is never followed', 'never', {
      status,
    });
  }
  if (status >= 400) return refusal(request, response, noteRefusal);
  const notIt = `the response is not ${request.expects}`;
  const isStatus = status === 200 || status === request.alsoStatus;
  if (!isStatus || !JSON_TYPE.test(response.headers.get('content-type') ?? '')) {
    discard(response.body);
    const fault = isStatus ? 'its content type is not `application/json`' : `its status is ${status}`;
    return failure('invalid_answer', `${notIt}: ${fault}`, 'never', { status });
  }
  const body = await readCapped(response, request.maxAnswerBytes);
  if (body.kind === 'text') {
    const { headers } = response;
    const replayed = headers.get('idempotency-replayed') === 'true';
    return { kind: 'answer', text: body.text, status, replayed, dateMs: httpDate(headers.get('date')) };
  }
  // The service has already decided, but the decision is unknown: this is not an outage.
  return failure('invalid_answer', `${notIt}: ${body.fault}`, body.retry ? 0 : 'never', {
    status,
  });
}

async function refusal(
  request: OutgoingRequest,
  response: FetchResponse,
  noteRefusal: (cause: NoDecisionCause) => void,
): Promise<Failure> {
  const { status } = response;
  const kind = status >= 500 ? 'service_failed' : 'refused';
  const message = `the service answered with status ${status}`;
  if (kind === 'refused') noteRefusal({ kind, message, status });
  const { text, ...named } = problemOf(
    await readCapped(response, PROBLEM_BYTES_MAX),
    request.headers.authorization?.slice('Bearer '.length) ?? '',
  );
  const asked = retryAfterMs(response.headers);
  const retry =
    kind === 'service_failed' || named.code === 'request_in_flight'
      ? (asked ?? 0)
      : status === 429
        ? asked
        : undefined;
  const whole =
    named.code === undefined
      ? message
      : `${message}, \`${named.code}\`${text === undefined ? '' : `: ${text}`}`;
  return failure(kind, whole, retry ?? 'never', { status, ...named });
}

type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly fault: string; readonly retry: boolean };

async function readCapped(response: FetchResponse, maxBytes: number): Promise<Body> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let size = 0;
  for (;;) {
    let chunk: Uint8Array | undefined;
    try {
      chunk = (await reader?.read())?.value;
    } catch {
      return { kind: 'unreadable', fault: 'the connection broke before its end', retry: true };
    }
    try {
      if (chunk === undefined) return { kind: 'text', text: text + decoder.decode() };
      // INVARIANT: the cap counts decoded bytes, so a small compressed response cannot fill the memory.
      size += chunk.byteLength;
      if (size <= maxBytes) {
        text += decoder.decode(chunk, { stream: true });
        continue;
      }
    } catch {
      discard(reader);
      return { kind: 'unreadable', fault: 'it is not UTF-8', retry: false };
    }
    discard(reader);
    return { kind: 'unreadable', fault: `it is longer than ${maxBytes} bytes`, retry: false };
  }
}

function discard(body: { cancel(): Promise<void> } | null | undefined): void {
  body?.cancel().catch(() => {});
}

type ProblemMembers = Pick<NoDecisionCause, 'code' | 'requestId' | 'decisionId'>;

function problemOf(body: Body, apiKey: string): ProblemMembers & { readonly text?: string } {
  try {
    const problem = body.kind === 'text' ? JSON.parse(body.text) : undefined;
    const { code, message, details } = problem?.error ?? {};
    const requestId = problem?.request_id;
    const decisionId = DECISION_ID.exec(JSON.stringify(details ?? null))?.[0];
    return {
      ...(typeof code === 'string' ? { code: conceal(code, apiKey, 100) } : {}),
      ...(typeof message === 'string' ? { text: conceal(message, apiKey, 300) } : {}),
      ...(typeof requestId === 'string' ? { requestId: conceal(requestId, apiKey, 128) } : {}),
      ...given({ decisionId }),
    };
  } catch {
    return {};
  }
}

/** NaN unless it has the one form that HTTP uses: `Date.parse` accepts almost anything. */
function httpDate(text: string | null): number {
  const date = new Date(text ?? '');
  return date.toUTCString() === text ? date.getTime() : Number.NaN;
}

function retryAfterMs(headers: FetchResponse['headers']): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = httpDate(value);
  if (Number.isNaN(at)) return undefined;
  const now = httpDate(headers.get('date'));
  return Math.max(0, at - (Number.isNaN(now) ? Date.now() : now));
}

/** Whether `fetch` failed because of the response rather than for lack of one: that is not an outage. */
function hasAnswered(error: unknown): boolean {
  const cause = (error as { cause?: { code?: unknown; name?: unknown; message?: unknown } } | undefined)
    ?.cause;
  // undici reports a 407 as an error with an empty message, and unparsable HTTP as HTTPParserError.
  if (cause?.code === undefined) return cause?.name === 'HTTPParserError' || cause?.message === '';
  return /^(HPE_|UND_ERR_(HEADERS_OVERFLOW|RES))/.test(String(cause.code));
}

/** Returns only a bare code such as ECONNREFUSED: the message of a foreign error might contain anything. */
function systemCode(error: unknown): string {
  const code = (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? ` (${code})` : '';
}

function failure(
  kind: CauseKind,
  message: string,
  retryAfter: number | 'never',
  more: Omit<NoDecisionCause, 'kind' | 'message'> = {},
): Failure {
  return { kind: 'failure', cause: { kind, message, ...more }, retryAfterMs: retryAfter };
}
