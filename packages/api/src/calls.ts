/** Every operation by its route, as a caller sees it: what it takes and what it returns. */
import type * as api from './index.ts';
import type { AnswerOf, BodyOf, Operation, PlacedIn, QueryOf } from './operation.ts';

type Exported = (typeof api)[keyof typeof api];
type OperationsIn<Each> = Each extends { readonly [id: string]: Operation } ? Each[keyof Each] : never;
type Every = OperationsIn<Exported>;

/** Such as `POST /v1/keys/{id}/rotate`. */
export type Route = Every['route'];

type ByRoute = { readonly [Each in Every as Each['route']]: Each };

export type Answered<R extends Route> = AnswerOf<ByRoute[R]>;
export type Sent<R extends Route> = BodyOf<ByRoute[R]>;
export type Queried<R extends Route> = QueryOf<ByRoute[R]>;
export type Placed<R extends Route> = PlacedIn<R>;
