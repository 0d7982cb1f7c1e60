/** A route as data: its operation, and what handles it. */
import type { Access, Operation } from '@writecheck/api';
import type { ErrorCode } from '@writecheck/contract';
import type { Actor } from './actor.ts';
import type { Answer } from './answer.ts';
import type { Refusal } from './refusal.ts';
import type { HttpRequest } from './request.ts';
import type { RequestContext } from './request-context.ts';

export interface Call<Query = unknown> {
  readonly context: RequestContext;
  readonly request: Pick<HttpRequest, 'header' | 'whenGone'>;
  /** The values of the path's braces, decoded. */
  readonly params: { readonly [name: string]: string };
  readonly query: Query;
  /** Empty if the route takes no body or the client sent none. */
  readonly body: Uint8Array;
  readonly address: () => string;
}

export interface KeyedCall<Query = unknown> extends Call<Query> {
  readonly actor: Actor;
}

export interface BodyRule {
  readonly mediaTypes: readonly string[];
  readonly limitBytes: number;
  readonly isOptional: boolean;
}

export type NamedOperation = Operation & { readonly operationId: string };

/** How a route answers whose callers speak another protocol than ours. */
export interface AnswerForm {
  /** The status of an error, which is text. */
  readonly statusOf: (code: ErrorCode) => number;
  readonly rewrite: (request: Pick<HttpRequest, 'header'>, answer: Answer) => Answer;
}

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Such as `/v1/keys/{id}/rotate`. */
  readonly path: string;
  readonly body?: BodyRule;
  readonly operation: NamedOperation;
  readonly form?: AnswerForm;
}

export interface OpenRoute extends RouteBase {
  readonly access: 'open';
  /** May refuse before the body is read. */
  readonly admit?: (call: Pick<Call, 'context' | 'address'>) => Refusal | null;
  readonly handle: (call: Call<URLSearchParams>) => Answer | Promise<Answer>;
}

export interface KeyedRoute extends RouteBase {
  readonly access: Access;
  readonly handle: (call: KeyedCall<URLSearchParams>) => Answer | Promise<Answer>;
}

export type Route = OpenRoute | KeyedRoute;
