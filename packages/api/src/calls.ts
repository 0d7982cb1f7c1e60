/** Every operation by its route, as a caller sees it: what it takes and what it returns. */
import type { AUDIT } from './audit.ts';
import type { CHECKS, DECIDED_WRITES } from './decisions.ts';
import type { FREEZES } from './freezes.ts';
import type { IMPACT } from './impact.ts';
import type { KEYS, WORKSPACES } from './keys.ts';
import type { LIMITS } from './limits.ts';
import type { AnswerOf, BodyOf, QueryOf } from './operation.ts';
import type { PEOPLE } from './people.ts';
import type { POLICIES } from './policies.ts';
import type { PUBLISHED } from './published.ts';
import type { REVIEWS } from './reviews.ts';
import type { SESSIONS } from './sessions.ts';
import type { STATUS } from './status.ts';
import type { USAGE } from './usage.ts';
import type { WEBHOOKS } from './webhooks.ts';

type All = typeof AUDIT &
  typeof CHECKS &
  typeof DECIDED_WRITES &
  typeof FREEZES &
  typeof IMPACT &
  typeof KEYS &
  typeof LIMITS &
  typeof PEOPLE &
  typeof POLICIES &
  typeof PUBLISHED &
  typeof REVIEWS &
  typeof SESSIONS &
  typeof STATUS &
  typeof USAGE &
  typeof WEBHOOKS &
  typeof WORKSPACES;

/** Such as `POST /v1/keys/{id}/rotate`. */
export type Route = All[keyof All]['route'];

type ByRoute = { readonly [id in keyof All as All[id]['route']]: All[id] };
type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

export type Answered<R extends Route> = AnswerOf<ByRoute[R]>;
export type Sent<R extends Route> = BodyOf<ByRoute[R]>;
export type Queried<R extends Route> = QueryOf<ByRoute[R]>;
/** What stands in the braces of the path. */
export type Placed<R extends Route> = { readonly [name in NamesIn<R>]: string };
