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
  type AnswerOf,
  BODY_ERRORS,
  type BodyOf,
  CLOCK_ERRORS,
  type Operation,
  type ReadOf,
} from './operation.ts';
export { anyText, numberInQuery, PAGE_DEFAULT_MAX, pageLimit } from './query-fields.ts';
export * from './resources.ts';
export { type Access, mayServiceUse, mayUse, ROLE_TABLE } from './roles.ts';
export { label, link, writtenText } from './text-fields.ts';
export type { Who } from './who.ts';
