/** A route as data: dispatch, the methods in a 405 and the OpenAPI document all come from this table. */
import type { Access } from '@writecheck/api';
import type { ErrorCode, JsonSchema } from '@writecheck/contract';
import type { Actor } from './actor.ts';
import type { Answer } from './answer.ts';
import type { Refusal } from './refusal.ts';
import type { HttpRequest } from './request.ts';
import type { RequestContext } from './request-context.ts';

export interface Call {
  readonly context: RequestContext;
  readonly request: Pick<HttpRequest, 'header' | 'whenGone'>;
  /** From the path's braces, decoded. */
  readonly params: { readonly [name: string]: string };
  readonly query: URLSearchParams;
  /** Empty if the route takes no body or the client sent none. */
  readonly body: Uint8Array;
  readonly address: () => string;
}

export interface KeyedCall extends Call {
  readonly actor: Actor;
  /** For a handler that waits: whether the key or session has been revoked or has expired meanwhile. */
  readonly refuseNow: (nowMs: number) => Promise<Refusal | null>;
}

export interface BodyRule {
  readonly mediaTypes: readonly string[];
  readonly limitBytes: number;
  readonly isOptional?: boolean;
  readonly schema: JsonSchema;
}

export interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly query?: { readonly [name: string]: { readonly description: string; readonly schema: JsonSchema } };
  /** By status; null if there is no body. Errors are added from the catalogue. */
  readonly success: {
    readonly [status: string]: {
      readonly description: string;
      readonly mediaType?: string;
      readonly schema: JsonSchema | null;
    };
  };
  readonly errors: readonly ErrorCode[];
  /** Set if it is not a check but takes an `Idempotency-Key` anyway. */
  readonly isRepeatable?: true;
}

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Such as `/v1/keys/{id}/rotate`. */
  readonly path: string;
  readonly body?: BodyRule;
  /** Whether it decides; if so, the rate per key counts it. */
  readonly isCheck?: boolean;
  /** Whether the rate per key counts it although it decides nothing. */
  readonly isRated?: boolean;
  /**
   * Whether it tells what became of a check: as often as checks are made, so it has no line of its own in the log. Its
   * transaction refuses a key or session that has ended, so that one read a moment ago will do.
   */
  readonly isReport?: boolean;
  /** Whether its responses take AuthZEN's form, its errors too. */
  readonly isAuthzen?: boolean;
  readonly described: Described;
}

export interface OpenRoute extends RouteBase {
  readonly access: 'open';
  /** May refuse before the body is read. */
  readonly admit?: (call: Pick<Call, 'context' | 'address'>) => Refusal | null;
  readonly handle: (call: Call) => Answer | Promise<Answer>;
}

export interface KeyedRoute extends RouteBase {
  readonly access: Access;
  readonly handle: (call: KeyedCall) => Answer | Promise<Answer>;
}

export type Route = OpenRoute | KeyedRoute;
