/** The people who decide the reviews of the demo week, each with a passkey of their own. */
import { verdictChallenge } from '@writecheck/ledger';
import { DemoPasskey } from './demo-passkey.ts';
import type { DemoReview, Send } from './send.ts';
import { WEEK } from './week.ts';

export interface Reviewer {
  readonly decide: (review: DemoReview, verdict: 'approve' | 'reject', comment: string) => Promise<void>;
}

export async function joinedReviewers(
  send: Send,
  ownerKey: string,
  workspace: string,
  origin: string,
): Promise<readonly Reviewer[]> {
  const joined: Reviewer[] = [];
  for (const wish of WEEK.reviewers)
    joined.push(await joinedReviewer(send, ownerKey, workspace, origin, wish));
  return joined;
}

async function joinedReviewer(
  send: Send,
  ownerKey: string,
  workspace: string,
  origin: string,
  wish: (typeof WEEK.reviewers)[number],
): Promise<Reviewer> {
  const invited = await send('POST /v1/people', ownerKey, {
    name: wish.name,
    email: wish.email,
    roles: ['reviewer'],
    groups: ['finance'],
  });
  const token = new URL(invited.invitation!.url).hash.slice(1);
  const { options } = await send('POST /v1/invitations/begin', null, { token });
  const passkey = new DemoPasskey(origin, options!.user!.id);
  const credential = passkey.register(options!.challenge);
  const { person } = await send('POST /v1/invitations/finish', null, { token, credential });
  const by = person!.id;
  return {
    async decide({ id, intentDigest, controls }, verdict, comment) {
      // Signs in for each verdict, because a session from the first day would have ended.
      const asked = await send('POST /v1/sessions/passkey/begin', null, {});
      const answered = passkey.signIn(asked.options!.challenge);
      const { session } = await send('POST /v1/sessions/passkey/finish', null, { credential: answered });
      const statement = { workspace, review: id, intentDigest, verdict, by, comment };
      const named = controls.map(({ controlId }) => controlId);
      const challenge = verdictChallenge({ ...statement, controls: named });
      const assertion = passkey.sign(Buffer.from(challenge).toString('base64url'));
      const sent = { verdict, intentDigest, comment, assertion };
      await send(`POST /v1/reviews/${id}/verdicts`, session!.token, sent);
    },
  };
}
