/** A route as data: the table of them is what is dispatched on, what 405 names, and what OpenAPI describes. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from '@writecheck/contract';
import type { JsonSchema } from '../fields/body-fields.ts';
import type { Refusal } from '../refusal.ts';
import type { StoredKey } from '../store/port.ts';
import type { Answer } from './answer.ts';
import type { RequestContext } from './request-context.ts';

export interface Call {
  readonly context: RequestContext;
  readonly headers: IncomingHttpHeaders;
  /** Of the path's braces, decoded. */
  readonly params: { readonly [name: string]: string };
  readonly query: URLSearchParams;
  /** Empty where the route takes no body or none was sent. */
  readonly body: Uint8Array;
  readonly address: () => string;
  /** Told once if the caller's connection ends before its answer; returns the way to stop listening. */
  readonly whenGone: (listener: () => void) => () => void;
}

export interface KeyedCall extends Call {
  readonly key: StoredKey;
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
  /** By status; null where there is no body. Errors are added from the catalogue. */
  readonly success: {
    readonly [status: string]: {
      readonly description: string;
      readonly mediaType?: string;
      readonly schema: JsonSchema | null;
    };
  };
  readonly errors: readonly ErrorCode[];
  /** Where it is no check and takes an `Idempotency-Key` all the same. */
  readonly isRepeatable?: true;
}

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Such as `/v1/keys/{id}/rotate`. */
  readonly path: string;
  readonly body?: BodyRule;
  /** Whether it decides; the rate per key counts it. */
  readonly isCheck?: boolean;
  /** Whether the rate per key counts it although it decides nothing. */
  readonly isRated?: boolean;
  readonly described: Described;
}

export interface OpenRoute extends RouteBase {
  readonly access: 'open';
  /** What refuses before the body is looked at. */
  readonly admit?: (call: Pick<Call, 'context' | 'address'>) => Refusal | null;
  readonly handle: (call: Call) => Answer | Promise<Answer>;
}

export interface KeyedRoute extends RouteBase {
  /** Which kind of key: one that checks, one that owns, or either. */
  readonly access: 'checking' | 'owner' | 'either';
  readonly handle: (call: KeyedCall) => Answer | Promise<Answer>;
}

export type Route = OpenRoute | KeyedRoute;
