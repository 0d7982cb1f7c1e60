/** What the routes for signing in share: fields, schemas, the limit per address, and the response with a session. */
import type { Field, JsonSchema } from '../../fields/body-fields.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import { limitSubject } from '../client-address.ts';
import type { OpenRoute } from '../route.ts';
import type { WindowLimit } from '../window-limit.ts';

/** Whatever is inside is the authenticator's: it verifies, or it does not. */
export const credential: Field<object> = {
  schema: { type: 'object', description: 'the JSON form that WebAuthn level 3 defines' },
  isRequired: true,
  read: (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { value }
      : { fault: 'must be an object, as `toJSON()` of the credential gives it' },
};

export const OPTIONS_BODY: JsonSchema = {
  type: 'object',
  properties: { options: { type: 'object', description: 'the JSON form that WebAuthn level 3 defines' } },
  required: ['options'],
};

/** Nobody has a key here yet, so requests are counted by address, before the body is read. */
export function admitOf(limit: WindowLimit): NonNullable<OpenRoute['admit']> {
  return ({ context, address }): Refusal | null => {
    const admission = limit.take(limitSubject(address()), context.nowMs);
    if (admission.admitted) return null;
    const message = `an address may send ${limit.limit} requests a minute to sign in; slow down`;
    return { ...refuse('rate_limited', message), retryAfterMs: admission.resetsInMs };
  };
}
