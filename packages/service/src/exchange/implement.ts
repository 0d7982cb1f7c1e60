/**
 * Makes a route of an operation: reads its body and query before the handler runs, and lets it return only what
 * is declared.
 */
import type { AnswerOf, BodyShape, PlacedIn, ReadOf, ReadQueryOf } from '@writecheck/api';
import { given } from '@writecheck/contract';
import { type Answer, NO_HEADERS } from './answer.ts';
import { type ProblemAnswer, problemAnswer } from './problem-answer.ts';
import { type ReadJson, readJson, readQuery } from './read-json.ts';
import { isRefusal, type Refusal } from './refusal.ts';
import type { BodyRule, Call, KeyedCall, KeyedRoute, NamedOperation, OpenRoute, Route } from './route.ts';

/** Limits bodies that are forms rather than documents. */
const SMALL_JSON = { mediaTypes: ['application/json'], limitBytes: 64 * 1024 } as const;
const NOTHING_SENT = Buffer.from('{}');

export type Open = NamedOperation & { readonly access: 'open' };
type RouteOf<O> = O extends Open ? OpenRoute : KeyedRoute;
type CallOf<O extends NamedOperation> = (O extends Open
  ? Call<ReadQueryOf<O>>
  : KeyedCall<ReadQueryOf<O>>) & {
  readonly params: PlacedIn<O['route']>;
};
type Handled<O extends NamedOperation> = AnswerTo<O> | ProblemAnswer | Refusal;

interface Rules extends Partial<Pick<BodyRule, 'mediaTypes' | 'limitBytes'>> {
  readonly admit?: NonNullable<OpenRoute['admit']>;
  readonly form?: NonNullable<Route['form']>;
}

export function implement<const O extends NamedOperation>(
  operation: O,
  handle: (call: CallOf<O>, sent: ReadOf<O>) => Handled<O> | Promise<Handled<O>>,
  { readsBody, ...rules }: Rules & { readonly readsBody?: true } = {},
): RouteOf<O> {
  const answered = async (call: Call<URLSearchParams>): Promise<Answer> => {
    const sent = readsBody ? NOT_READ : bodySent(operation, call.body);
    if (sent.kind === 'refused') return problemAnswer(call.context, sent);
    const query = querySent(operation, call.query);
    if (query.kind === 'refused') return problemAnswer(call.context, query);
    // INVARIANT: the gates give every route that is not open a call with its actor.
    const done = await handle({ ...call, query: query.value } as CallOf<O>, sent.value as ReadOf<O>);
    return isRefusal(done) ? problemAnswer(call.context, done) : done;
  };
  return routeOf(operation, answered as RouteOf<O>['handle'], rules);
}

/** A route whose handler reads its call and refuses by itself. */
export function routeOf<const O extends NamedOperation>(
  operation: O,
  handle: RouteOf<O>['handle'],
  { admit, form, ...body }: Rules = {},
): RouteOf<O> {
  const [method, path] = operation.route.split(' ') as [Route['method'], string];
  const isOptional = operation.isBodyOptional ?? false;
  return {
    method,
    path,
    access: operation.access,
    operation,
    ...(operation.body !== undefined && { body: { ...SMALL_JSON, ...body, isOptional } }),
    ...given({ admit, form }),
    handle,
  } as RouteOf<O>;
}

const NOT_READ = { kind: 'read', value: undefined } as const;

function bodySent({ body, isBodyOptional }: NamedOperation, sent: Uint8Array): ReadJson<unknown> {
  if (body === undefined || !('read' in body)) return NOT_READ;
  return readJson(body as BodyShape<unknown>, isBodyOptional && sent.length === 0 ? NOTHING_SENT : sent);
}

function querySent({ query }: NamedOperation, sent: URLSearchParams): ReadJson<unknown> {
  return query === undefined ? { kind: 'read', value: sent } : readQuery(query, sent);
}

declare const STATUS: unique symbol;
declare const VALUE: unique symbol;
/** Only `answer` and `answerText` create a value of this type. */
type Declared<S, T> = Answer & { readonly [STATUS]: S; readonly [VALUE]: T };
/** A response with a status and a shape that the operation declares, so that its description stays true. */
export type AnswerTo<O extends NamedOperation, S = keyof O['answers']> = S extends number
  ? Declared<S, AnswerOf<O, S>>
  : never;

export function answer<const O extends NamedOperation, const S extends keyof O['answers'] & number>(
  operation: O,
  status: S,
  value: AnswerOf<O, S>,
  headers = NO_HEADERS,
): AnswerTo<O, S> {
  if (value !== null) return answerText(operation, status, JSON.stringify(value), headers);
  return { status, headers: { 'cache-control': 'no-store', ...headers }, body: null } as unknown as AnswerTo<
    O,
    S
  >;
}

/** The same for a text that is already in the form that the operation declares, whole or piece by piece. */
export function answerText<const O extends NamedOperation, const S extends keyof O['answers'] & number>(
  { answers }: O,
  status: S,
  text: string | AsyncGenerator<string>,
  headers = NO_HEADERS,
): AnswerTo<O, S> {
  const type = (answers as NamedOperation['answers'])[status]![2] ?? 'application/json; charset=utf-8';
  return {
    status,
    headers: {
      'content-type': type === 'text/plain' ? `${type}; charset=utf-8` : type,
      'cache-control': 'no-store',
      ...headers,
    },
    ...(typeof text === 'string' ? { body: text } : { body: null, stream: text }),
  } as unknown as AnswerTo<O, S>;
}
