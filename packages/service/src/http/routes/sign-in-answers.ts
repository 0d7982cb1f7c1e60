/** What the routes for signing in share: fields, schemas, the limit per address, and the response with a session. */

import { type Answer, json } from '../../answer.ts';
import type { BodyShape, Field, JsonSchema } from '../../fields/body-fields.ts';
import type { SignedIn } from '../../people/join.ts';
import type { PeopleParts } from '../../people/people-parts.ts';
import { shownSignedIn } from '../../people/shown-person.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { clockRefusal, isRefusal, type Refusal, refuse } from '../../refusal.ts';
import { limitSubject } from '../client-address.ts';
import { readJson } from '../read-json.ts';
import type { Call, Described, OpenRoute } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { SIGNED_IN_BODY } from './person-schemas.ts';
import { BODY_ERRORS, SMALL_JSON } from './shared-schemas.ts';

const WEBAUTHN = 'in the JSON form that WebAuthn level 3 defines';

/** The authenticator decides what is inside; verification judges it. */
export const credential: Field<object> = {
  schema: { type: 'object', description: `what the browser returned, ${WEBAUTHN}` },
  isRequired: true,
  read: (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { value }
      : { fault: 'must be an object, as `toJSON()` of the credential gives it' },
};

export const OPTIONS_BODY: JsonSchema = {
  type: 'object',
  properties: { options: { type: 'object', description: WEBAUTHN } },
  required: ['options'],
};

export const SIGNED_IN: Described['success'] = {
  201: { description: 'the session, whose token is shown once, and the person', schema: SIGNED_IN_BODY },
};

/** Nobody has a key here yet, so requests are counted by address, before the body is read. */
export function admitBy(parts: Pick<ServiceParts, 'signIn'>): NonNullable<OpenRoute['admit']> {
  return ({ context, address }): Refusal | null => {
    const { limit } = parts.signIn;
    const admission = limit.take(limitSubject(address()), context.nowMs);
    if (admission.admitted) return null;
    const message = `an address may send ${limit.limit} requests a minute to sign in; slow down`;
    return { ...refuse('rate_limited', message), retryAfterMs: admission.resetsInMs };
  };
}

type Step<T> = Described & {
  readonly handle: (value: T, nowMs: number) => Promise<Answer | Refusal>;
};

/** Makes the routes that take a body. */
export function signingIn(parts: Pick<ServiceParts, 'people' | 'signIn'>) {
  const admit = admitBy(parts);
  return <T>(path: string, shape: BodyShape<T>, { handle, ...described }: Step<T>): OpenRoute => ({
    method: 'POST',
    path,
    access: 'open',
    admit,
    body: { ...SMALL_JSON, schema: shape.schema },
    described: {
      ...described,
      errors: [...BODY_ERRORS, 'rate_limited', 'clock_behind', 'clock_ahead', ...described.errors],
    },
    handle: (call) =>
      answerAt(parts.people, call, async (nowMs) => {
        const read = readJson(shape, call.body);
        return read.kind === 'refused' ? read : handle(read.value, nowMs);
      }),
  });
}

/** RFC 6750 requires it of every 401. */
export const BEARER = { 'www-authenticate': 'Bearer realm="writecheck"' };

/** By the clock that never runs backwards, because a sign-in may write to the log. */
async function answerAt(
  { clock }: PeopleParts,
  { context }: Call,
  act: (nowMs: number) => Promise<Answer | Refusal>,
): Promise<Answer> {
  const moment = clock.at(context.nowMs);
  const outcome = moment.kind === 'now' ? await act(moment.nowMs) : clockRefusal(moment);
  if (!isRefusal(outcome)) return outcome;
  return problemAnswer(context, outcome, outcome.code === 'invalid_key' ? BEARER : {});
}

export function signedIn(outcome: SignedIn | Refusal): Answer | Refusal {
  return isRefusal(outcome) ? outcome : json(201, shownSignedIn(outcome));
}
