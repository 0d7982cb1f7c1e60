export type { Answered, Placed, Queried, Route, Sent } from './calls.ts';
export {
  type BodyShape,
  bodyOf,
  boundary,
  choice,
  type Fault,
  type Field,
  flag,
  listOf,
  type Members,
  moment,
  name,
  optional,
  wholeNumber,
} from './fields.ts';
export {
  GRACE_SECONDS_MAX,
  type IssuedKey,
  KEYS,
  type Key,
  type OwnKey,
  WORKSPACES,
  type Workspace,
} from './keys.ts';
export {
  type AnswerOf,
  BODY_ERRORS,
  type BodyOf,
  CLOCK_ERRORS,
  type Operation,
  type ReadOf,
} from './operation.ts';
export { type Invitation, PEOPLE, PERSON, type Person, type PersonChange } from './people.ts';
export { anyText, numberInQuery, PAGE_DEFAULT_MAX, pageLimit } from './query-fields.ts';
export { type Access, mayUse, ROLE_TABLE } from './roles.ts';
export { type Me, SESSIONS, type SignedIn } from './sessions.ts';
export { label, link, writtenText } from './text-fields.ts';
export type { Who } from './who.ts';
