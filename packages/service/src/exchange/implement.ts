/** Makes a route of an operation: its body is read before it is handled, and what it refuses becomes a problem. */
import type { AnswerOf, BodyShape, Operation, PlacedIn, ReadOf } from '@writecheck/api';
import { type Answer, json, NO_HEADERS } from './answer.ts';
import { problemAnswer } from './problem-answer.ts';
import { readJson } from './read-json.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import type { BodyRule, Call, Described, KeyedCall, KeyedRoute, OpenRoute, Route } from './route.ts';

/** For bodies that are forms rather than documents. */
const SMALL_JSON = { mediaTypes: ['application/json'], limitBytes: 64 * 1024 } as const;
const NOTHING_SENT = Buffer.from('{}');

export type Named = Operation & { readonly operationId: string };
export type Open = Named & { readonly access: 'open' };
type RouteOf<O> = O extends Open ? OpenRoute : KeyedRoute;
type CallOf<O extends Named> = (O extends Open ? Call : KeyedCall) & {
  readonly params: PlacedIn<O['route']>;
};
type Handle<O extends Named> = (
  call: CallOf<O>,
  sent: ReadOf<O>,
) => Answer | Refusal | Promise<Answer | Refusal>;

interface Rules {
  readonly body?: Partial<Pick<BodyRule, 'mediaTypes' | 'limitBytes'>>;
  /** The handler reads the body itself. */
  readonly readsBody?: true;
  /** The handler also makes its refusals itself, so nothing is put around it. */
  readonly handlesItself?: true;
  readonly isCheck?: true;
  readonly isRated?: true;
  readonly isReport?: true;
  readonly admit?: NonNullable<OpenRoute['admit']>;
}

export function implement<const O extends Named>(
  operation: O,
  handle: Handle<O>,
  rules: Rules = {},
): RouteOf<O> {
  const [method, path] = operation.route.split(' ') as [Route['method'], string];
  const { access, body, isBodyOptional } = operation;
  const route = {
    method,
    path,
    access,
    ...(body !== undefined && {
      body: {
        ...SMALL_JSON,
        ...rules.body,
        schema: body.schema,
        ...(isBodyOptional && { isOptional: true }),
      },
    }),
    ...(rules.isCheck && { isCheck: true }),
    ...(rules.isRated && { isRated: true }),
    ...(rules.isReport && { isReport: true }),
    ...(rules.admit !== undefined && { admit: rules.admit }),
    described: describe(operation),
    handle: rules.handlesItself
      ? handle
      : async (call: Call): Promise<Answer> => {
          const sent = rules.readsBody ? NOT_READ : bodySent(operation, call.body);
          if (sent.kind === 'refused') return problemAnswer(call.context, sent);
          // INVARIANT: the gates give every route that is not open a call with its actor.
          const done = await handle(call as CallOf<O>, sent.value as ReadOf<O>);
          return isRefusal(done) ? problemAnswer(call.context, done) : done;
        },
  };
  return route as RouteOf<O>;
}

const NOT_READ = { kind: 'read', value: undefined } as const;

function bodySent({ body, isBodyOptional }: Operation, sent: Uint8Array) {
  if (body === undefined || !('read' in body)) return NOT_READ;
  return readJson(body as BodyShape<unknown>, isBodyOptional && sent.length === 0 ? NOTHING_SENT : sent);
}

function describe({ operationId, summary, query, answers, errors, isRepeatable }: Named): Described {
  return {
    operationId,
    summary,
    ...(query !== undefined && { query: parametersOf(query) }),
    success: successOf(answers),
    errors,
    ...(isRepeatable && { isRepeatable }),
  };
}

/** OpenAPI says what a parameter is for beside its schema. */
function parametersOf({ members }: BodyShape<unknown>): NonNullable<Described['query']> {
  return Object.fromEntries(
    Object.entries(members).map(([name, { description, ...schema }]) => [
      name,
      { description: String(description), schema },
    ]),
  );
}

function successOf(answers: Operation['answers']): Described['success'] {
  return Object.fromEntries(
    Object.entries(answers).map(([status, [description, shape, mediaType]]) => [
      status,
      { description, ...(mediaType !== undefined && { mediaType }), schema: shape?.schema ?? null },
    ]),
  );
}

/** The usual response of an operation. */
export function answer<const O extends Named>(
  { answers }: O,
  value: AnswerOf<O>,
  headers = NO_HEADERS,
): Answer {
  return json(Number(Object.keys(answers)[0]), value, headers);
}
