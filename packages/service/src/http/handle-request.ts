/** The way of every request, in the order in which requests are refused: route, key, kind, rate, media type, size. */
import type { IncomingMessage } from 'node:http';
import { shown } from '@writecheck/contract';
import { problemAnswer } from '../check-write/answer.ts';
import type { Authentication } from '../keys/authenticate.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { StoredKey } from '../store/port.ts';
import type { Answer } from './answer.ts';
import { limitSubject } from './client-address.ts';
import type { FoundRoute } from './find-route.ts';
import { rateHeaders } from './rate-headers.ts';
import { type ReadBody, readBody } from './read-body.ts';
import type { RequestContext } from './request-context.ts';
import type { BodyRule, KeyedRoute } from './route.ts';
import type { WindowLimit } from './window-limit.ts';

export interface Gatekeeping {
  readonly findRoute: (method: string, path: string) => FoundRoute;
  readonly authenticate: (
    header: string | undefined,
    nowMs: number,
  ) => Authentication | Promise<Authentication>;
  readonly addressOf: (request: IncomingMessage) => string;
  /** Counts failed authentications by address. */
  readonly failures: WindowLimit;
  /** Checks a second by key, where configured. */
  readonly ratePerKey: WindowLimit | null;
}

const EMPTY = new Uint8Array(0);
const NO_HEADERS: Answer['headers'] = {};

/** Null where the caller went away before there was anything to answer. */
export async function handleRequest(
  gates: Gatekeeping,
  request: IncomingMessage,
  context: RequestContext,
  sendContinue: () => void,
): Promise<Answer | null> {
  const [path, query] = splitTarget(request.url ?? '/');
  const method = request.method ?? 'GET';
  const found = gates.findRoute(method, path);
  if (found.kind === 'none')
    return problemAnswer(context, refuse('not_found', `there is nothing at \`${shown(path)}\``));
  if (found.kind === 'other_methods') {
    if (method === 'OPTIONS') return { status: 204, headers: { allow: found.allow }, body: null };
    const message = `\`${shown(method)}\` is not possible here; this path knows ${found.allow}`;
    return problemAnswer(context, refuse('method_not_allowed', message), { allow: found.allow });
  }

  const { route, params } = found;
  let key: StoredKey | null = null;
  let headers = NO_HEADERS;
  if (route.access === 'open') {
    const refusal = route.admit?.({ context, address: () => gates.addressOf(request) });
    if (refusal) return problemAnswer(context, refusal);
  } else {
    // Of two, a proxy before us may have read the other one.
    if (isSentTwice(request, 'authorization')) {
      const twice = refuse('invalid_key', 'more than one key was sent; send one `Authorization` header');
      return refuseCaller(gates, request, context, twice);
    }
    const pending = gates.authenticate(request.headers.authorization, context.nowMs);
    const authentication = pending instanceof Promise ? await pending : pending;
    if (authentication.kind === 'refused') {
      return refuseCaller(gates, request, context, authentication);
    }
    key = authentication.key;
    const wrongKind = refuseKind(route, key);
    if (wrongKind !== null) {
      return problemAnswer(context, wrongKind, {
        'www-authenticate': challenge('insufficient_scope', wrongKind.message),
      });
    }
    if ((route.isCheck || route.isRated) && gates.ratePerKey !== null) {
      const admission = gates.ratePerKey.take(key.id, context.nowMs);
      headers = rateHeaders('key', gates.ratePerKey, admission);
      if (!admission.admitted) {
        const message = `this key may ask for ${gates.ratePerKey.limit} checks a second; slow down`;
        const refusal = { ...refuse('rate_limited', message), retryAfterMs: admission.resetsInMs };
        return problemAnswer(context, refusal, headers);
      }
    }
  }

  let body: Uint8Array = EMPTY;
  if (route.body !== undefined && !(route.body.isOptional && !hasBody(request))) {
    const wrongType = refuseMediaType(request, route.body);
    if (wrongType !== null) return problemAnswer(context, wrongType, headers);
    const read = await bodyOf(request, route.body.limitBytes, sendContinue);
    if (read.kind === 'gone') return null;
    if (read.kind === 'too_large') {
      const message = `the body is larger than ${route.body.limitBytes} bytes`;
      return problemAnswer(context, refuse('body_too_large', message), headers);
    }
    body = read.bytes;
  }

  const call = {
    context,
    headers: request.headers,
    params,
    query: query === '' ? NO_QUERY : new URLSearchParams(query),
    body,
    address: () => gates.addressOf(request),
    whenGone: (listener: () => void) => {
      request.socket.once('close', listener);
      return () => void request.socket.off('close', listener);
    },
  };
  // INVARIANT: past the gates above, every route that is not open has its key.
  const answer = await (route.access === 'open' ? route.handle(call) : route.handle({ ...call, key: key! }));
  return headers === NO_HEADERS ? answer : { ...answer, headers: joinHeaders(headers, answer.headers) };
}

const NO_QUERY = new URLSearchParams();

/** Both the rate and the quota may speak: the fields are lists. */
function joinHeaders(rate: Answer['headers'], own: Answer['headers']): Answer['headers'] {
  const joined: Record<string, string> = { ...own };
  for (const [name, value] of Object.entries(rate)) {
    joined[name] = own[name] === undefined ? value : `${value}, ${own[name]}`;
  }
  return joined;
}

/** A failed authentication is counted, and past the limit told less; a valid key never comes this way. */
function refuseCaller(
  gates: Gatekeeping,
  request: IncomingMessage,
  context: RequestContext,
  refused: Refusal,
): Answer {
  if (refused.code !== 'missing_key') {
    const admission = gates.failures.take(limitSubject(gates.addressOf(request)), context.nowMs);
    if (!admission.admitted) {
      const message = 'too many failed authentications from this address; a valid key is still served';
      return problemAnswer(context, {
        ...refuse('rate_limited', message),
        retryAfterMs: admission.resetsInMs,
      });
    }
  }
  return problemAnswer(context, refused, { 'www-authenticate': challenge(refused.code, refused.message) });
}

/** RFC 6750, section 3: no error code where no key was sent. */
function challenge(code: string, message: string): string {
  if (code === 'missing_key') return 'Bearer realm="writecheck"';
  const error = code === 'insufficient_scope' ? code : 'invalid_token';
  return `Bearer realm="writecheck", error="${error}", error_description="${message.replaceAll(/["\\]/g, "'")}"`;
}

function refuseKind(route: KeyedRoute, key: StoredKey): Refusal | null {
  const isOwner = key.kind === 'owner';
  if (route.access === 'either' || (route.access === 'owner') === isOwner) return null;
  return isOwner
    ? refuse('insufficient_scope', 'an owner key cannot check; use a development or live key')
    : refuse('insufficient_scope', `a ${key.kind} key cannot do this; use an owner key`);
}

function refuseMediaType(request: IncomingMessage, rule: BodyRule): Refusal | null {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined) {
    return refuse(
      'unsupported_media_type',
      `the content encoding \`${shown(encoding)}\` is not supported; send the body as it is`,
    );
  }
  const transfer = request.headers['transfer-encoding'];
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') {
    return refuse(
      'unsupported_media_type',
      `the transfer encoding \`${shown(transfer)}\` is not supported; send the body as it is or chunked`,
    );
  }
  if (isSentTwice(request, 'content-type')) {
    return refuse('unsupported_media_type', 'more than one content type was sent; send one');
  }
  const sent = request.headers['content-type'];
  if (sent !== undefined && rule.mediaTypes.includes(mediaTypeOf(sent))) return null;
  const wanted = rule.mediaTypes.map((type) => `\`${type}\``).join(' or ');
  return refuse(
    'unsupported_media_type',
    sent === undefined
      ? `no content type was sent; send ${wanted}`
      : `the content type \`${shown(sent)}\` is not supported; send ${wanted}`,
  );
}

/** Only spaces and tabs may follow it (RFC 9110, 5.6.3); `trim` would also take a no-break space for nothing. */
function mediaTypeOf(contentType: string): string {
  const type = contentType.split(';', 1)[0]!;
  let end = type.length;
  while (type[end - 1] === ' ' || type[end - 1] === '\t') end -= 1;
  return type.slice(0, end).toLowerCase();
}

function bodyOf(request: IncomingMessage, limitBytes: number, sendContinue: () => void): Promise<ReadBody> {
  return new Promise((resolve) => {
    if (Number(request.headers['content-length'] ?? 0) <= limitBytes) sendContinue();
    readBody(request, limitBytes, resolve);
  });
}

/** Node keeps the first of two such headers and says nothing. `name` is in lower case. */
function isSentTwice({ rawHeaders }: IncomingMessage, name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at]!;
    if (sent.length === name.length && sent.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Path and query; of a target in absolute form only what follows the authority. */
function splitTarget(target: string): readonly [string, string] {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = local.indexOf('?');
  return at === -1 ? [local, ''] : [local.slice(0, at), local.slice(at + 1)];
}
