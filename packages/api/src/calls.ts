/** Every operation by its route, as a caller sees it: what it takes and what it returns. */
import type { KEYS, WORKSPACES } from './keys.ts';
import type { AnswerOf, BodyOf, QueryOf } from './operation.ts';
import type { PEOPLE } from './people.ts';
import type { SESSIONS } from './sessions.ts';

type All = typeof KEYS & typeof PEOPLE & typeof SESSIONS & typeof WORKSPACES;

/** Such as `POST /v1/keys/{id}/rotate`. */
export type Route = All[keyof All]['route'];

type ByRoute = { readonly [id in keyof All as All[id]['route']]: All[id] };
type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

export type Answered<R extends Route> = AnswerOf<ByRoute[R]>;
export type Sent<R extends Route> = BodyOf<ByRoute[R]>;
export type Queried<R extends Route> = QueryOf<ByRoute[R]>;
/** What stands in the braces of the path. */
export type Placed<R extends Route> = { readonly [name in NamesIn<R>]: string };
