/** The only file that calls the service, over HTTP like any other client. A failure is a value, not an exception. */
import type { Answered, Placed, Queried, Route, Sent } from '@writecheck/api/calls';
import type { ErrorCode, Problem, ProblemDetail } from '@writecheck/contract';
import { noteAway, noteHere } from './state/connection.ts';
import { noteServiceTime } from './state/service-clock.ts';
import { noteDoubt, session, signOut } from './state/session.ts';

export interface Failure {
  readonly kind: 'failure';
  /** `unreachable`: no response; `not_understood`: one this page cannot read; `no_passkey`: the browser gave none. */
  readonly code: ErrorCode | 'unreachable' | 'not_understood' | 'no_passkey';
  readonly status: number;
  readonly message: string;
  readonly details: readonly ProblemDetail[];
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
}

export interface Success<T> {
  readonly kind: 'success';
  readonly value: T;
}

export type Reply<T> = Success<T> | Failure;

export function success<T>(value: T): Success<T> {
  return { kind: 'success', value };
}

interface CommonOptions {
  /** Defaults to the signed-in owner key; null sends none. */
  readonly key?: string | null;
  /** Sent unchanged, instead of `json`. */
  readonly body?: { readonly text: string; readonly mediaType: string };
  readonly headers?: { readonly [name: string]: string };
  readonly signal?: AbortSignal | undefined;
  /** The response is plain text, not JSON. */
  readonly isText?: boolean;
  /** The same, of a response that is read while it arrives. */
  readonly onText?: (part: string) => void;
  /** For long downloads. */
  readonly timeoutMs?: number;
}

type Shape = { readonly [member: string]: 'array' | 'object' | 'string' | 'number' };
/** By route. A response without one is a failure, because the page would show it as empty. */
declare const REQUIRED_MEMBERS: { readonly [route in Route]?: Shape };

/** What a page says of a call: `in` fills the braces of the route. */
export type CallOptions<R extends Route> = CommonOptions & {
  readonly json?: Sent<R>;
  readonly query?: Queried<R>;
} & ([keyof Placed<R>] extends [never] ? unknown : { readonly in: Placed<R> });

const TIMEOUT_MS = 15_000;
/** Error codes for a key that will never work again. */
const KEY_IS_GONE: ReadonlySet<string> = new Set(['invalid_key', 'key_revoked', 'key_expired']);

/** INVARIANT: what a page can read of a response is what the API defines, because the type follows from the route. */
export function call<const R extends Route>(
  route: R,
  ...[options]: [keyof Placed<R>] extends [never] ? [CallOptions<R>?] : [CallOptions<R>]
): Promise<Reply<Answered<R>>> {
  const [method, path] = route.split(' ') as [string, string];
  const {
    in: places = {},
    query,
    ...rest
  } = (options ?? {}) as CommonOptions & {
    readonly in?: { readonly [name: string]: string };
    readonly query?: object;
  };
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(places[name]!));
  return send(method, `${filled}${searchOf(query ?? {})}`, rest, REQUIRED_MEMBERS[route] ?? {});
}

/** Empty values are not sent. */
function searchOf(query: object): string {
  const filled = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled)}`;
}

async function send<T>(
  method: string,
  path: string,
  options: CommonOptions & { readonly json?: unknown },
  shape: Shape,
): Promise<Reply<T>> {
  const secret = session.get()?.secret ?? null;
  const key = options.key === undefined ? secret : options.key;
  const body = options.json === undefined ? options.body?.text : JSON.stringify(options.json);
  const mediaType = options.json === undefined ? options.body?.mediaType : 'application/json';
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  let response: Response;
  let text: string;
  try {
    response = await fetch(new URL(path.replace(/^\//, ''), document.baseURI), {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(mediaType === undefined ? {} : { 'content-type': mediaType }),
        ...options.headers,
      },
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]),
      ...(body === undefined ? {} : { body }),
    });
    // Before the body, which may take long to arrive.
    if (response.ok) noteServiceTime(response.headers);
    text = response.ok && options.onText ? await streamed(response, options.onText) : await response.text();
  } catch (error) {
    if (options.signal?.aborted) return unreachable('the request was cancelled');
    noteAway();
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    return unreachable(isLate ? 'the service did not respond in time' : 'the service cannot be reached');
  }
  const value = response.ok && (options.isText || options.onText) ? text : parsed(text);
  if (response.ok && value !== undefined) {
    const lacking = lackingIn(value, shape);
    if (lacking !== null) return notUnderstood(response.status, lacking);
    noteHere();
    return success(value as T);
  }
  const failure = failureOf(response, value);
  // Only the parsed body shows whether the service or a proxy responded.
  if (failure.code === 'unreachable') noteAway();
  else noteHere();
  if (key === null || key !== session.get()?.secret) return failure;
  if (KEY_IS_GONE.has(failure.code)) signOut('key_refused');
  if (failure.code === 'insufficient_scope') noteDoubt();
  return failure;
}

/** Calls `onText` with each part; nothing is left to read. */
async function streamed({ body }: Response, onText: (part: string) => void): Promise<string> {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) onText(part.value);
  return '';
}

function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function lackingIn(value: unknown, shape: Shape): string | null {
  for (const [member, kind] of Object.entries(shape)) {
    const found = (value as { readonly [member: string]: unknown } | null)?.[member];
    const isThere = kind === 'array' ? Array.isArray(found) : typeof found === kind && found !== null;
    if (!isThere) return member;
  }
  return null;
}

/** Reads problem+json. Anything else, such as a proxy's error page, did not come from the service. */
function failureOf(response: Response, value: unknown): Failure {
  const problem = value as Partial<Problem> | null;
  if (typeof problem?.error?.code !== 'string')
    return unreachable(`received status ${response.status} from something other than the service`);
  const retryAfter = response.headers.get('retry-after');
  return {
    kind: 'failure',
    code: problem.error.code,
    status: response.status,
    message: problem.error.message,
    details: problem.error.details ?? [],
    requestId: problem.request_id ?? null,
    retryAfterSeconds: retryAfter === null ? null : Number(retryAfter),
  };
}

/** A failure that the service did not report. */
export function failureHere(
  code: 'unreachable' | 'not_understood' | 'no_passkey',
  message: string,
  status = 0,
): Failure {
  return { kind: 'failure', code, status, message, details: [], requestId: null, retryAfterSeconds: null };
}

/** A part of the console that is loaded only when it is needed, for loads that are repeated once the service is back. */
export function part<T>(loading: Promise<T>): Promise<Reply<T>> {
  return loading.then(success, () => {
    noteAway();
    return unreachable('a part of this page could not be loaded');
  });
}

function unreachable(message: string): Failure {
  return failureHere('unreachable', message);
}

/** From another version or a proxy. A retry would bring the same response, so the page does not retry. */
function notUnderstood(status: number, lacking: string): Failure {
  return failureHere(
    'not_understood',
    `this page cannot read the response: \`${lacking}\` is missing`,
    status,
  );
}
