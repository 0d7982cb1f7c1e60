/** What each role may do, in one table, which the gates check for every request of a signed-in person. */
import type { Role } from '@writecheck/contract';
import { type Refusal, refuse } from '../refusal.ts';
import type { Actor } from './actor.ts';

/**
 * Who may use a route: `checking` is for development and live keys, `managing` for owner keys and for people as far as
 * their roles go, `either` for all of them, `person` for people alone.
 */
export type Access = 'checking' | 'managing' | 'either' | 'person';

/** `anyone`: whatever their roles. */
type Allowed = readonly Role[] | 'anyone';

const OWNERS: Allowed = ['owner'];
const READERS: Allowed = ['owner', 'auditor'];
const AUTHORS: Allowed = ['owner', 'author'];
const POLICY_READERS: Allowed = ['owner', 'author', 'auditor'];
const REVIEWERS: Allowed = ['owner', 'reviewer'];
/** Everybody but an auditor, who changes nothing. */
const ACTING: Allowed = ['owner', 'author', 'reviewer'];
const EVERY_ROLE: Allowed = ['owner', 'author', 'reviewer', 'auditor'];

/** By `operationId`. INVARIANT: a route that is not named here is for owners alone. */
export const ROLE_TABLE: { readonly [operationId: string]: Allowed } = {
  readMe: 'anyone',
  signOut: 'anyone',

  createPerson: OWNERS,
  listPeople: READERS,
  changePerson: OWNERS,
  invitePerson: OWNERS,
  disablePerson: OWNERS,

  createKey: OWNERS,
  listKeys: READERS,
  revokeKey: OWNERS,
  rotateKey: OWNERS,
  readWorkspace: EVERY_ROLE,

  // Confirming a loosening also needs `owner`, which the policy routes check.
  applyPolicies: AUTHORS,
  rollBackPolicies: AUTHORS,
  readPolicies: EVERY_ROLE,
  readRevision: EVERY_ROLE,
  listRevisions: EVERY_ROLE,
  readRequirements: EVERY_ROLE,
  startImpactRun: AUTHORS,
  cancelImpactRun: AUTHORS,
  listImpactRuns: POLICY_READERS,
  readImpactRun: POLICY_READERS,
  promoteProfile: AUTHORS,
  readAssessment: POLICY_READERS,

  listDecisions: EVERY_ROLE,
  readDecision: EVERY_ROLE,
  countDecisions: EVERY_ROLE,
  readReceipt: EVERY_ROLE,
  readUsage: READERS,
  readDailyUsage: READERS,
  exportLog: READERS,
  revokeEvidence: OWNERS,

  createWebhook: OWNERS,
  listWebhooks: READERS,
  readWebhook: READERS,
  changeWebhook: OWNERS,
  deleteWebhook: OWNERS,
  rotateWebhookSecret: OWNERS,
  listDeliveries: READERS,
  testWebhook: OWNERS,
  redeliver: OWNERS,

  openReview: OWNERS,
  readReview: EVERY_ROLE,
  listReviews: EVERY_ROLE,
  decideReview: REVIEWERS,
  withdrawVerdict: REVIEWERS,
  // Somebody who approved may take the approval back even after losing the role; `reviews/` checks that they did.
  cancelReview: ACTING,
  reopenReview: REVIEWERS,
  commentOnReview: ACTING,
};

function isAllowed(operationId: string, roles: readonly Role[]): boolean {
  const allowed = Object.hasOwn(ROLE_TABLE, operationId) ? ROLE_TABLE[operationId]! : OWNERS;
  return allowed === 'anyone' || roles.some((role) => allowed.includes(role));
}

/** Null if the actor may use the route. */
export function refuseActor(access: Access, operationId: string, actor: Actor): Refusal | null {
  if (actor.kind === 'checking_key') {
    if (access === 'checking' || access === 'either') return null;
    return refuse('insufficient_scope', `a ${actor.key.kind} key cannot do this; use an owner key`);
  }
  if (access === 'checking') {
    const who = actor.kind === 'person' ? 'a person' : 'an owner key';
    return refuse('insufficient_scope', `${who} cannot send checks; use a development or live key`);
  }
  if (actor.kind === 'owner_key') {
    if (access !== 'person') return null;
    return refuse('insufficient_scope', 'this is for people who signed in; an owner key has no session');
  }
  if (isAllowed(operationId, actor.person.roles)) return null;
  return refuse('insufficient_scope', 'none of your roles may do this; ask an owner of the workspace');
}

/** Whether they may do whatever an owner key may. */
export function isOwner(actor: Actor): boolean {
  return actor.kind === 'owner_key' || (actor.kind === 'person' && actor.person.roles.includes('owner'));
}
