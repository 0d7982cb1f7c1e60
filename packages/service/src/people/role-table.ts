/** What each role may do, in one table, which the gates check for every request of a signed-in person. */
import type { Role } from '@writecheck/contract';
import { type Refusal, refuse } from '../refusal.ts';
import { type Actor, rolesOf } from './actor.ts';

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

/** What no service key does, whatever its roles: people review. */
const FOR_PEOPLE: readonly string[] = ['cancelReview', 'commentOnReview'];

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
    return refuse(
      'insufficient_scope',
      `${WHO[actor.kind]} cannot send checks; use a development or live key`,
    );
  }
  if (actor.kind !== 'person' && access === 'person') {
    const message = `this is for people who signed in; ${WHO[actor.kind]} has no session`;
    return refuse('insufficient_scope', message);
  }
  if (actor.kind === 'owner_key') return null;
  const isForPeople = actor.kind === 'service_key' && FOR_PEOPLE.includes(operationId);
  if (!isForPeople && isAllowed(operationId, rolesOf(actor))) return null;
  const whose = actor.kind === 'service_key' ? 'none of the roles of this key' : 'none of your roles';
  return refuse('insufficient_scope', `${whose} may do this; ask an owner of the workspace`);
}

const WHO = { person: 'a person', owner_key: 'an owner key', service_key: 'a service key' } as const;

/** Whether they may do whatever an owner key may. */
export function isOwner(actor: Actor): boolean {
  return rolesOf(actor).includes('owner');
}
