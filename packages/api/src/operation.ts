/** An operation of the API: everything that OpenAPI, the service, the console and the commands say about it. */
import type { ErrorCode } from '@writecheck/contract';
import type { BodyShape } from './fields.ts';
import type { Access } from './roles.ts';
import type { Shape, TypeOf } from './shape.ts';

export interface Operation {
  /** Its method and path, such as `POST /v1/keys/{id}/rotate`. */
  readonly route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  /** `open`: without a key. */
  readonly access: Access | 'open';
  readonly summary: string;
  readonly query?: BodyShape<unknown>;
  /** A body without a reader is read by its handler. */
  readonly body?: Shape<unknown>;
  readonly isBodyOptional?: true;
  /**
   * Responses by status, of which the lowest is the usual one; null if there is no body. The catalogue adds the
   * errors.
   */
  readonly answers: {
    readonly [status: number]: readonly [
      description: string,
      shape: Shape<unknown> | null,
      mediaType?: string,
    ];
  };
  readonly errors: readonly ErrorCode[];
  /** Takes an `Idempotency-Key` although it is not a check. */
  readonly isRepeatable?: true;
  /**
   * Set if it is called as often as agents write. The rate per key counts checks and inquiries; checks and
   * reports have no separate log line. The transaction of a report refuses a key or session that has ended, so
   * a recently read one suffices.
   */
  readonly frequent?: 'check' | 'inquiry' | 'report';
}

type AnswerIn<Each> = Each extends readonly [string, infer S, ...unknown[]]
  ? S extends null
    ? null
    : TypeOf<S>
  : never;

/** What a caller gets, with this status if one is named. */
export type AnswerOf<O extends Pick<Operation, 'answers'>, S = keyof O['answers']> = AnswerIn<
  O['answers'][S & keyof O['answers']]
>;
/** What a caller sends. */
export type BodyOf<O> = O extends { readonly body: infer B } ? TypeOf<B> : never;
export type QueryOf<O> = O extends { readonly query: infer Q } ? TypeOf<Q> : never;
/** What the service reads from a body. */
export type ReadOf<O> = O extends { readonly body: BodyShape<infer T> } ? T : never;
/** What the service reads from a query; unparsed if the operation describes none. */
export type ReadQueryOf<O> = O extends { readonly query: BodyShape<infer T> } ? T : URLSearchParams;

/** Operations by their `operationId`. */
export function operations<const O extends { readonly [operationId: string]: Operation }>(
  given: O,
): { readonly [id in keyof O]: O[id] & { readonly operationId: id } } {
  return Object.fromEntries(
    Object.entries(given).map(([operationId, each]) => [operationId, { ...each, operationId }]),
  ) as { readonly [id in keyof O]: O[id] & { readonly operationId: id } };
}

/** Errors that every body can have. */
export const BODY_ERRORS = [
  'unsupported_media_type',
  'body_too_large',
  'malformed_json',
  'invalid_request',
] as const;

/** The errors of operations that write to the log. */
export const CLOCK_ERRORS = ['clock_behind', 'clock_ahead'] as const;

type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
/** The parameters in the braces of the path. */
export type PlacedIn<Path> = { readonly [name in NamesIn<Path>]: string };
