/** Shared by the routes for signing in: the limit per address, and the response with a session. */
import { type ReadOf, SESSIONS } from '@writecheck/api';
import { type AnswerTo, answer, implement, type Open } from '../../exchange/implement.ts';
import { problemAnswer } from '../../exchange/problem-answer.ts';
import { atLogTime, isRefusal, type Refusal, refuseFor } from '../../exchange/refusal.ts';
import type { OpenRoute } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { limitSubject } from '../../support/client-address.ts';
import type { SignedIn } from './join.ts';
import { shownSignedIn } from './shown-person.ts';

/** The caller has no key yet, so requests are counted by address, before the body is read. */
export function admitBy(parts: Pick<ServiceParts, 'signIn'>): NonNullable<OpenRoute['admit']> {
  return ({ context, address }): Refusal | null => {
    const { limit } = parts.signIn;
    const taken = limit.take(limitSubject(address()), context.nowMs);
    if (taken.admitted) return null;
    const message = `an address may send ${limit.limit} requests a minute to sign in; slow down`;
    return refuseFor(taken.resetsInMs, 'rate_limited', message);
  };
}

/** RFC 6750 requires it for every 401. */
export const BEARER = { 'www-authenticate': 'Bearer realm="writecheck"' };

/**
 * Makes the routes that take a body. Uses the clock that never runs backwards, because a sign-in may write to
 * the log.
 */
export function signingIn(parts: Pick<ServiceParts, 'people' | 'signIn'>) {
  const admit = admitBy(parts);
  return <const O extends Open>(
    operation: O,
    act: (sent: ReadOf<O>, nowMs: number) => Promise<AnswerTo<O> | Refusal>,
  ): OpenRoute =>
    implement(
      operation,
      async ({ context }, sent) => {
        const outcome = await atLogTime(parts.people.clock, context, (nowMs) => act(sent, nowMs));
        return isRefusal(outcome) && outcome.code === 'invalid_key'
          ? problemAnswer(context, outcome, BEARER)
          : outcome;
      },
      { admit },
    );
}

export function signedIn(
  outcome: SignedIn | Refusal,
): AnswerTo<typeof SESSIONS.finishPasskeySignIn> | Refusal {
  return isRefusal(outcome) ? outcome : answer(SESSIONS.finishPasskeySignIn, 201, shownSignedIn(outcome));
}
