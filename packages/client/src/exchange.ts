/** One HTTP attempt: sends the bytes, and reads at most so many back. */
import type { CauseKind, NoDecisionCause } from './decision-types.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How many decoded bytes of an answer are read before it counts as unusable. */
  readonly maxAnswerBytes: number;
}

export interface Answer {
  readonly kind: 'answer';
  readonly text: string;
  readonly replayed: boolean;
  /** The answer's Date header; NaN where there is none. */
  readonly dateMs: number;
}

export interface Failure {
  readonly kind: 'failure';
  readonly cause: NoDecisionCause;
  /** `never`, or after a backoff plus what the service asked for. */
  readonly retryAfterMs: number | 'never';
}

const PROBLEM_BYTES_MAX = 65_536;
const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** `noteRefusal` hears of an answer that is no outage before its body is read, however slowly that comes. */
export async function exchange(
  fetch: Fetch,
  request: OutgoingRequest,
  signal: AbortSignal,
  noteRefusal: (cause: NoDecisionCause) => void,
): Promise<Answer | Failure> {
  let response: Response;
  try {
    // A followed redirect would carry the key to a place nobody configured; `error` could not be told from an outage.
    const { url, headers, body } = request;
    response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  } catch (error) {
    if (hasAnswered(error))
      return failure(
        'invalid_answer',
        `the answer is not HTTP that can be read${systemCode(error)}`,
        'never',
      );
    return failure('connection_failed', `the connection to the service failed${systemCode(error)}`, 0);
  }
  const { status } = response;
  if (response.type === 'opaqueredirect' || response.redirected || (status >= 300 && status < 400)) {
    discard(response.body);
    return failure('redirect', 'the service answered with a redirect, which is never followed', 'never', {
      status,
    });
  }
  if (status >= 400) return refusal(response, noteRefusal);
  if (status !== 200 || !JSON_TYPE.test(response.headers.get('content-type') ?? '')) {
    discard(response.body);
    const fault = status === 200 ? 'its content type is not `application/json`' : `its status is ${status}`;
    return failure('invalid_answer', `the answer is not a decision: ${fault}`, 'never', { status });
  }
  const body = await readCapped(response, request.maxAnswerBytes);
  if (body.kind === 'text') {
    const replayed = response.headers.has('idempotency-replayed');
    return {
      kind: 'answer',
      text: body.text,
      replayed,
      dateMs: Date.parse(response.headers.get('date') ?? ''),
    };
  }
  // The service has decided by now, and what it decided is not known: this is no outage.
  return failure('invalid_answer', `the answer is not a decision: ${body.fault}`, body.retry ? 0 : 'never', {
    status,
  });
}

async function refusal(response: Response, noteRefusal: (cause: NoDecisionCause) => void): Promise<Failure> {
  const { status } = response;
  const kind = status >= 500 ? 'service_failed' : 'refused';
  const message = `the service answered with status ${status}`;
  if (kind === 'refused') noteRefusal({ kind, message, status });
  const { code, text, requestId } = problemOf(await readCapped(response, PROBLEM_BYTES_MAX));
  const asked = retryAfterMs(response.headers);
  const retry =
    kind === 'service_failed' || code === 'request_in_flight'
      ? (asked ?? 0)
      : status === 429
        ? asked
        : undefined;
  const named =
    code === undefined ? message : `${message}, \`${code}\`${text === undefined ? '' : `: ${text}`}`;
  return failure(kind, named, retry ?? 'never', {
    status,
    ...(code === undefined ? {} : { code }),
    ...(requestId === undefined ? {} : { requestId }),
  });
}

type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly fault: string; readonly retry: boolean };

async function readCapped(response: Response, maxBytes: number): Promise<Body> {
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
      // INVARIANT: the cap counts decoded bytes, so a small compressed answer cannot fill the memory.
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

function problemOf(body: Body): { code?: string; text?: string; requestId?: string } {
  try {
    const problem = body.kind === 'text' ? JSON.parse(body.text) : undefined;
    return {
      ...(typeof problem?.error?.code === 'string' ? { code: problem.error.code.slice(0, 100) } : {}),
      ...(typeof problem?.error?.message === 'string' ? { text: problem.error.message.slice(0, 300) } : {}),
      ...(typeof problem?.request_id === 'string' ? { requestId: problem.request_id.slice(0, 128) } : {}),
    };
  } catch {
    return {};
  }
}

function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  const now = Date.parse(headers.get('date') ?? '');
  return Math.max(0, at - (Number.isNaN(now) ? Date.now() : now));
}

/** Whether `fetch` failed on what came back and not for want of an answer: that is no outage. */
function hasAnswered(error: unknown): boolean {
  const cause = (error as { cause?: { code?: unknown; name?: unknown; message?: unknown } } | undefined)
    ?.cause;
  // A 407 is told by an error without a word, what is no HTTP by its name.
  if (cause?.code === undefined) return cause?.name === 'HTTPParserError' || cause?.message === '';
  return /^(HPE_|UND_ERR_(HEADERS_OVERFLOW|RES))/.test(String(cause.code));
}

/** Only a bare code such as ECONNREFUSED: the message of a foreign error might hold anything. */
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
