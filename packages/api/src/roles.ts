/** One table of what each role may do: the service checks it for every request, and the console offers nothing else. */
import type { Role } from '@writecheck/contract';

/**
 * Who may use a route: `checking` is for development and live keys, `managing` for owner keys, and for people
 * and service keys according to their roles, `either` for all of them, `person` for people alone.
 */
export type Access = 'checking' | 'managing' | 'either' | 'person';

/** `anyone`: whatever their roles. */
type Allowed = readonly Role[] | 'anyone';

const OWNERS: Allowed = ['owner'];
const READERS: Allowed = ['owner', 'auditor'];
const AUTHORS: Allowed = ['owner', 'author'];
const POLICY_READERS: Allowed = ['owner', 'author', 'auditor'];
const REVIEWERS: Allowed = ['owner', 'reviewer'];
/** Everybody except an auditor, who changes nothing. */
const ACTING: Allowed = ['owner', 'author', 'reviewer'];
const EVERY_ROLE: Allowed = ['owner', 'author', 'reviewer', 'auditor'];

/** What no service key may do, whatever its roles: only people review and freeze. */
const FOR_PEOPLE: readonly string[] = [
  'cancelReview',
  'commentOnReview',
  'createFreeze',
] satisfies readonly Ruled[];

/** Who may use each operation, by `operationId`. INVARIANT: a route that is not named here is for owners alone. */
export const ROLE_TABLE = {
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
  renameWorkspace: OWNERS,

  // Confirming a loosening also needs `owner`, which the policy routes check.
  applyPolicies: AUTHORS,
  rollBackPolicies: AUTHORS,
  readPolicies: EVERY_ROLE,
  readRevision: EVERY_ROLE,
  listRevisions: EVERY_ROLE,
  readRequirements: EVERY_ROLE,
  tryPolicies: AUTHORS,

  listDecisions: EVERY_ROLE,
  readDecision: EVERY_ROLE,
  countDecisions: EVERY_ROLE,
  readReceipt: EVERY_ROLE,
  readUsage: READERS,
  readDailyUsage: READERS,
  exportLog: READERS,
  listEntries: READERS,
  revokeEvidence: OWNERS,
  recordOutcome: OWNERS,

  listLimits: POLICY_READERS,
  readLimit: POLICY_READERS,
  correctLimit: OWNERS,

  createWebhook: OWNERS,
  listWebhooks: READERS,
  readWebhook: READERS,
  changeWebhook: OWNERS,
  deleteWebhook: OWNERS,
  rotateWebhookSecret: OWNERS,
  listDeliveries: READERS,
  testWebhook: OWNERS,
  redeliver: OWNERS,

  // Anyone who acts in the workspace may stop writes; only an owner may let them continue.
  createFreeze: ACTING,
  liftFreeze: OWNERS,
  liftFreezes: OWNERS,
  listFreezes: EVERY_ROLE,
  readFreeze: EVERY_ROLE,

  openReview: OWNERS,
  readReview: EVERY_ROLE,
  listReviews: EVERY_ROLE,
  decideReview: REVIEWERS,
  withdrawVerdict: REVIEWERS,
  // Somebody who approved may take the approval back even after losing the role; `reviews/` checks that they did.
  cancelReview: ACTING,
  commentOnReview: ACTING,
} as const satisfies { readonly [operationId: string]: Allowed };

/** An operation that the table names. */
export type Ruled = keyof typeof ROLE_TABLE;

/** `roles` are those of the key. */
export function mayServiceUse(operationId: string, roles: readonly Role[]): boolean {
  return !FOR_PEOPLE.includes(operationId) && mayUse(operationId, roles);
}

export function mayUse(operationId: string, roles: readonly Role[]): boolean {
  const allowed: Allowed = Object.hasOwn(ROLE_TABLE, operationId) ? ROLE_TABLE[operationId as Ruled] : OWNERS;
  return allowed === 'anyone' || roles.some((role) => allowed.includes(role));
}
