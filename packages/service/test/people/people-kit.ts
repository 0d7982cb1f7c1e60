/** People of a workspace over the wire: invited by an owner, joined with a passkey in software, deciding reviews. */
import { batchChallenge, encodeBase64Url, verdictChallenge } from '@writecheck/ledger';
import { expect } from 'vitest';
import { type Lies, SoftAuthenticator } from '../../../ledger/test/soft-authenticator.ts';
import { ask, type Reply } from '../ask.ts';
import type { TestService } from '../start-service.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
type Shown = any;

export interface Member {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** The token of their session. */
  readonly token: string;
  readonly device: SoftAuthenticator;
}

export interface VerdictOptions {
  readonly verdict?: 'approve' | 'reject';
  readonly comment?: string;
  /** The controls that the statement names; by default all of the review. */
  readonly controls?: readonly string[];
  readonly lies?: Lies;
}

const call = ({ url }: TestService, method: string, path: string, key: string, json?: unknown) =>
  ask(url + path, { method, key, ...(json === undefined ? {} : { json }) });

let invited = 0;

export async function join(
  service: TestService,
  members: { readonly roles?: readonly string[]; readonly groups?: readonly string[] } = {},
): Promise<Member> {
  invited += 1;
  const [name, email] = [`Person ${invited}`, `Person${invited}@example.com`];
  const json = { name, email, roles: ['reviewer'], groups: [], ...members };
  const { status, body } = await call(service, 'POST', '/v1/people', service.ownerKey, json);
  expect([status, body.error]).toEqual([201, undefined]);
  const { token, device } = await accept(service, body.invitation.url);
  return { id: body.person.id, name, email, token, device };
}

/** Registers a new passkey with the invitation, which also signs the person in. */
export async function accept({ url }: TestService, invitation: string) {
  const token = invitation.split('#')[1]!;
  const begun = await ask(`${url}/v1/invitations/begin`, { json: { token } });
  const device = new SoftAuthenticator(new URL(invitation).origin);
  const credential = device.create(begun.body.options);
  const finished = await ask(`${url}/v1/invitations/finish`, { json: { token, credential } });
  expect([finished.status, finished.body.error]).toEqual([201, undefined]);
  return { token: finished.body.session.token as string, device };
}

function statementOf(workspace: string, member: Member, review: Shown, options: VerdictOptions) {
  return {
    workspace,
    review: review.id as string,
    intentDigest: review.intentDigest as string,
    controls: options.controls ?? review.controls.map(({ controlId }: Shown) => controlId),
    verdict: options.verdict ?? 'approve',
    by: member.id,
    comment: options.comment ?? null,
  };
}

function send(
  service: TestService,
  member: Member,
  review: Shown,
  options: VerdictOptions,
  more: object = {},
) {
  const { verdict = 'approve', comment } = options;
  const json = { verdict, intentDigest: review.intentDigest, ...(comment && { comment }), ...more };
  return call(service, 'POST', `/v1/reviews/${review.id}/verdicts`, member.token, json);
}

/** Gives a verdict with only the session. */
export function say(
  service: TestService,
  member: Member,
  review: Shown,
  options: VerdictOptions = {},
): Promise<Reply> {
  return send(service, member, review, options);
}

export function assertionFor(
  { workspace }: TestService,
  member: Member,
  review: Shown,
  options: VerdictOptions = {},
) {
  const challenge = verdictChallenge(statementOf(workspace, member, review, options));
  return member.device.assertion(challenge, options.lies);
}

/** Gives a verdict signed by the person's passkey. */
export function sign(
  service: TestService,
  member: Member,
  review: Shown,
  options: VerdictOptions & { readonly assertion?: object } = {},
): Promise<Reply> {
  const { assertion = assertionFor(service, member, review, options) } = options;
  return send(service, member, review, options, { assertion });
}

/** One prompt over several reviews: the assertion that goes with each. */
export function batchAssertion({ workspace }: TestService, member: Member, reviews: readonly Shown[]) {
  const hashes = reviews.map((review) => verdictChallenge(statementOf(workspace, member, review, {})));
  return {
    ...member.device.assertion(batchChallenge(hashes)),
    statements: hashes.map((hash) => encodeBase64Url(hash)),
  };
}
