export { AUDIT, type AuditLog, type LoggedChange } from './audit.ts';
export { AUTHZEN } from './authzen.ts';
export {
  CHECKS,
  COUNTED_DAYS_MAX,
  DECIDED_WRITES,
  type DecisionCount,
  type DecisionDetail,
  type DecisionSummary,
} from './decisions.ts';
export {
  type BodyShape,
  type Fault,
  type Field,
  type Members,
  moment,
  name,
} from './fields.ts';
export { FREEZE, FREEZES, FREEZES_A_PAGE, type Freeze } from './freezes.ts';
export { type Cells, type Changed, IMPACT, type ImpactLine, type ImpactReport } from './impact.ts';
export {
  GRACE_SECONDS_MAX,
  type IssuedKey,
  KEYS,
  type Key,
  type OwnKey,
  WORKSPACES,
  type Workspace,
  type WorkspaceRename,
} from './keys.ts';
export { LIMITS, type LimitGroup } from './limits.ts';
export type {
  AnswerOf,
  BodyOf,
  Operation,
  PlacedIn,
  ReadOf,
  ReadQueryOf,
} from './operation.ts';
export { OUTCOME, type Outcome } from './outcomes.ts';
export { type Invitation, PEOPLE, PERSON, type Person, type PersonChange } from './people.ts';
export { POLICIES, type PolicyRevision } from './policies.ts';
export { PROBLEM } from './problem.ts';
export { PUBLISHED } from './published.ts';
export { PAGE_DEFAULT_MAX } from './query-fields.ts';
export { type Assertion, REVIEW, REVIEWS, type Review } from './reviews.ts';
export { type Access, ROLE_TABLE } from './roles.ts';
export { type Me, SESSIONS, type SignedIn } from './sessions.ts';
export { STATUS } from './status.ts';
export { label, writtenText } from './text-fields.ts';
export { USAGE } from './usage.ts';
export {
  DELIVERY,
  type Delivery,
  WEBHOOK,
  WEBHOOK_URL_CHARACTERS_MAX,
  WEBHOOKS,
  type Webhook,
} from './webhooks.ts';
