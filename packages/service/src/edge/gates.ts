/** The gates every request passes, in the order in which they refuse: route, key, kind, rate, media type, size. */
import { shown } from '@writecheck/contract';
import { type CheckRates, joinHeaders } from '../check/check-rates.ts';
import type { Actor } from '../exchange/actor.ts';
import { type Answer, NO_HEADERS } from '../exchange/answer.ts';
import type { RefusedKey } from '../exchange/credential.ts';
import { challenge, problemAnswer } from '../exchange/problem-answer.ts';
import { type Refusal, refuse, refuseFor } from '../exchange/refusal.ts';
import type { HttpRequest } from '../exchange/request.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import type { AnswerForm, KeyedCall, KeyedRoute } from '../exchange/route.ts';
import type { Authenticator } from '../features/keys/authenticate.ts';
import { refuseActor } from '../features/people/refuse-actor.ts';
import type { Sessions } from '../features/people/sessions.ts';
import { limitSubject } from '../support/client-address.ts';
import type { SteadyClock } from '../support/clocks/steady-clock.ts';
import type { Tracing } from '../support/observability/tracing.ts';
import type { Siblings } from '../support/siblings.ts';
import type { WindowLimit } from '../support/window-limit.ts';
import type { ConnectionParts } from './connection/connection-parts.ts';
import type { FoundRoute, RouteTable } from './find-route.ts';
import { readBody } from './request-body.ts';

export interface Gatekeeping {
  readonly routes: RouteTable;
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly sessions: Pick<Sessions, 'authenticate'>;
  /** Key expiry is judged by the later of the clock and the newest record. */
  readonly clock: Pick<SteadyClock, 'latest'>;
  readonly addressOf: (request: HttpRequest) => string;
  /** Counts failed authentications by address. */
  readonly failures: WindowLimit;
  /** The other deciding threads of this service; null if there are none. */
  readonly siblings: Pick<Siblings, 'tell' | 'hasNews'> | null;
  /** Drops whatever was read from the store. */
  readonly forgetAll: () => void;
  readonly rates: CheckRates;
  /** Called once the caller is known; for a check only if its log line is written, because most have none. */
  readonly callerKnown: (context: RequestContext, actor: Pick<Actor, 'workspace' | 'id'>) => void;
  readonly isDebugging: () => boolean;
  readonly refusedKey: (code: Refusal['code'], address: string) => void;
  /** Turns a throw into a response, and logs it under the context's request id. */
  readonly failed: ConnectionParts['failed'];
  readonly tracing: Pick<Tracing, 'around'> | null;
  /** If set, requests wait for it. */
  opening: Promise<unknown> | undefined;
}

const NO_QUERY = new URLSearchParams();

/** INVARIANT: a failure is logged under the request id that the client gets. */
export function requestHandler(gates: Gatekeeping): ConnectionParts['handle'] {
  const { routes, failed, tracing } = gates;
  return async (request, context) => {
    let found = routes.find(request.method, request.path);
    let answer: Answer | null;
    try {
      if (found.kind === 'none') found = await routes.findAmongAll(request.method, request.path);
      const route = found;
      answer = await (tracing === null
        ? passGates(gates, route, request, context)
        : tracing.around(context, () => passGates(gates, route, request, context)));
    } catch (error) {
      answer = failed(error, context);
    }
    const form = formOf(found);
    return answer === null || form === undefined ? answer : form.rewrite(request, answer);
  };
}

function formOf(found: FoundRoute): AnswerForm | undefined {
  if (found.kind === 'route') return found.route.form;
  return found.kind === 'other_methods' ? found.form : undefined;
}

/** Null if the client left before there was a response. It waits only for what has not arrived yet. */
async function passGates(
  gates: Gatekeeping,
  found: FoundRoute,
  request: HttpRequest,
  context: RequestContext,
): Promise<Answer | null> {
  if (gates.opening !== undefined) await gates.opening;
  if (found.kind !== 'route') return refuseNowhere(found, request, context);
  const { route, params } = found;
  const address = () => gates.addressOf(request);
  let admitted: Admitted | Answer;
  if (route.access === 'open') {
    const refusal = route.admit?.({ context, address });
    admitted = refusal ? problemAnswer(context, refusal) : ANYBODY;
  } else {
    const pending = identify(gates, route, request, context);
    const identified = pending instanceof Promise ? await pending : pending;
    admitted =
      identified.kind === 'refused'
        ? refuseCaller(gates, request, context, identified)
        : admitActor(gates, route, identified.actor, context);
  }
  if ('status' in admitted) return admitted;
  const { actor, headers } = admitted;

  const reading = readBody(request, route.body);
  const body = reading instanceof Promise ? await reading : reading;
  if (body === null) return null;
  if ('kind' in body) return refuseKnown(gates, actor, context, body, headers);

  const call = {
    context,
    request,
    params,
    query: request.query === '' ? NO_QUERY : new URLSearchParams(request.query),
    body,
    address,
    actor,
  };
  // INVARIANT: past the gates above, every route that is not open has its actor.
  let answer: Answer | null;
  try {
    answer = await (route.access === 'open'
      ? route.handle(call)
      : route.handle(call as KeyedCall<URLSearchParams>));
  } finally {
    // Also after a throw: the change may have been durable before it.
    if (request.method !== 'GET' && (route.access === 'managing' || route.access === 'person'))
      gates.siblings?.tell();
  }
  if (answer?.code !== undefined && route.operation.frequent === 'check' && actor !== null)
    gates.callerKnown(context, actor);
  return headers === NO_HEADERS ? answer : { ...answer, headers: joinHeaders(headers, answer.headers) };
}

interface Admitted {
  readonly actor: Actor | null;
  readonly headers: Answer['headers'];
}

const ANYBODY: Admitted = { actor: null, headers: NO_HEADERS };

function refuseNowhere(
  found: Exclude<FoundRoute, { kind: 'route' }>,
  { method, path }: HttpRequest,
  context: RequestContext,
): Answer {
  if (found.kind === 'none')
    return problemAnswer(
      context,
      refuse('not_found', `there is nothing at \`${shown(path)}\`; check the path for a typo`),
    );
  const { allow } = found;
  if (method === 'OPTIONS') return { status: 204, headers: { allow }, body: null };
  const message = `\`${shown(method)}\` is not allowed here; this path accepts ${allow}`;
  return problemAnswer(context, refuse('method_not_allowed', message), { allow });
}

/** A promise only if the store must be read. */
function identify(gates: Gatekeeping, route: KeyedRoute, request: HttpRequest, context: RequestContext) {
  // A proxy in front of us may have picked the other of two `Authorization` headers.
  if (request.sentTwice('authorization')) return SENT_TWICE;
  if (gates.siblings?.hasNews()) gates.forgetAll();
  const isFrequent = route.operation.frequent !== undefined;
  const isChange = request.method !== 'GET' && route.access !== 'checking' && !isFrequent;
  return authenticate(gates, request, gates.clock.latest(context.nowMs), isChange);
}

const SENT_TWICE = refuse('invalid_key', 'more than one key was sent; send one `Authorization` header');

/** Judges the kind of the caller, and the rate of its checks. */
function admitActor(
  gates: Gatekeeping,
  { access, operation }: KeyedRoute,
  actor: Actor,
  context: RequestContext,
): Admitted | Answer {
  const { frequent, operationId } = operation;
  if (frequent !== 'check' || gates.isDebugging()) gates.callerKnown(context, actor);
  const isChecking = access === 'checking' && actor.kind === 'checking_key';
  const notAllowed = isChecking ? null : refuseActor(access, operationId, actor);
  if (notAllowed !== null) {
    const header = { 'www-authenticate': challenge('insufficient_scope', notAllowed.message) };
    return refuseKnown(gates, actor, context, notAllowed, header);
  }
  if (frequent !== 'check' && frequent !== 'inquiry') return { actor, headers: NO_HEADERS };
  const { refusal, headers } = gates.rates.take(actor, context.nowMs);
  return refusal === null ? { actor, headers } : refuseKnown(gates, actor, context, refusal, headers);
}

function authenticate(
  { sessions, authenticator }: Gatekeeping,
  request: HttpRequest,
  nowMs: number,
  isChange: boolean,
) {
  const credential = request.credential();
  return credential.kind === 'session'
    ? sessions.authenticate(credential.digest, nowMs, isChange)
    : authenticator.authenticate(credential, nowMs, isChange);
}

/** Names the caller in the log of refusals once it is known; null on an open route. */
function refuseKnown(
  gates: Gatekeeping,
  actor: Actor | null,
  context: RequestContext,
  refusal: Refusal,
  headers: Answer['headers'],
): Answer {
  if (actor !== null) gates.callerKnown(context, actor);
  return problemAnswer(context, refusal, headers);
}

/** Counts a failed authentication; past the limit the response says less. A valid key never gets here. */
function refuseCaller(
  gates: Gatekeeping,
  request: HttpRequest,
  context: RequestContext,
  refused: Refusal & Pick<RefusedKey, 'actor'>,
): Answer {
  const address = gates.addressOf(request);
  if (refused.actor !== undefined) gates.callerKnown(context, refused.actor);
  // The key is right: it must not use up what protects against guessing.
  if (refused.code === 'workspace_suspended') return problemAnswer(context, refused);
  gates.refusedKey(refused.code, address);
  if (refused.code !== 'missing_key') {
    const taken = gates.failures.take(limitSubject(address), context.nowMs);
    if (!taken.admitted) {
      const message = 'too many failed authentications from this address; a valid key is still served';
      return problemAnswer(context, refuseFor(taken.resetsInMs, 'rate_limited', message));
    }
  }
  return problemAnswer(context, refused);
}
