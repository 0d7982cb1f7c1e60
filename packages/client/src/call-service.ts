/** One call: sends it to the service with the key, and reads the JSON of its response. */
import { given } from '@writecheck/contract';
import { type Answered, askService } from './ask-service.ts';
import { conceal } from './conceal.ts';
import type { NoDecisionCause, Unanswered } from './decision-types.ts';
import { clientFault } from './local-decision.ts';
import type { AbortSignalLike } from './platform.ts';
import { readJson } from './read-answers.ts';
import type { Settings } from './settings.ts';

interface ServiceCall {
  /** Below the address of the service. */
  readonly path: string;
  /** JSON; if omitted, the request is a GET. */
  readonly body?: string;
  readonly alsoStatus?: 201;
  /** The expected response, for messages. */
  readonly expects: string;
  readonly idempotencyKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignalLike | undefined;
  /** When that time starts, on the monotonic clock; now by default. */
  readonly sinceMs?: number | undefined;
}

export type Called = (Answered & { readonly value: unknown }) | Unanswered;

const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** Never rejects. */
export async function callService(settings: Settings, call: ServiceCall): Promise<Called> {
  const { path, body, alsoStatus, expects, idempotencyKey, headers, signal, sinceMs } = call;
  const none = (cause: NoDecisionCause): Called => ({
    kind: 'unanswered',
    cause: redact(cause, settings.apiKey),
  });
  try {
    if (idempotencyKey !== undefined && !isIdempotencyKey(idempotencyKey)) return none(INVALID_KEY);
    const asked = await askService(
      settings.fetch,
      {
        url: `${settings.baseUrl}${path}`,
        headers: {
          authorization: `Bearer ${settings.apiKey}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...given({ 'idempotency-key': idempotencyKey }),
          ...headers,
        },
        ...given({ body, alsoStatus }),
        expects,
        maxAnswerBytes: ANSWER_BYTES_MAX,
      },
      { timeoutMs: settings.timeoutMs, retries: settings.retries, signal, sinceMs },
    );
    if (asked.kind === 'unanswered') return none(asked.cause);
    const { text, status } = asked.answer;
    const value = readJson(text);
    if (value !== undefined) return { ...asked, value };
    return none({
      kind: 'invalid_answer',
      message: `the response is not ${expects}: it is not JSON without duplicates`,
      status,
    });
  } catch (error) {
    return none(clientFault('the call failed inside the client', error));
  }
}

const INVALID_KEY: NoDecisionCause = {
  kind: 'client_fault',
  message: '`idempotencyKey` must be 1 to 255 visible ASCII characters',
};

function isIdempotencyKey(key: string): boolean {
  return /^[!-~]{1,255}$/.test(key);
}

function redact(cause: NoDecisionCause, apiKey: string): NoDecisionCause {
  const clean = (text: string): string => conceal(text, apiKey);
  return {
    ...cause,
    message: clean(cause.message),
    ...(cause.code === undefined ? {} : { code: clean(cause.code) }),
    ...(cause.requestId === undefined ? {} : { requestId: clean(cause.requestId) }),
  };
}
