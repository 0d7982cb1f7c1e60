/** Builds shapes, each with the type of its values: only the shape defines a document's type. */
import type {
  AmountShape,
  CountShape,
  EitherShape,
  FlagShape,
  ListShape,
  ObjectShape,
  OpenShape,
  Rule,
  Shape,
  TableShape,
  TextShape,
  WordShape,
} from './shape.ts';

/** Never set: it carries the type. Exported, because declarations of the package name it. */
export interface Of<T> {
  readonly type?: T;
}

/** The type of the values that have a shape. */
export type TypeOf<S> = S extends Of<infer T> ? T : never;

type Shapes = { readonly [name: string]: Shape };
type Flat<T> = { readonly [name in keyof T]: T[name] };
type Members<M, R extends keyof M> = Flat<
  { readonly [name in R]: TypeOf<M[name]> } & { readonly [name in Exclude<keyof M, R>]?: TypeOf<M[name]> }
>;

interface Told {
  readonly description?: string;
}

export function text(shape: Omit<TextShape, 'kind'>): TextShape & Of<string> {
  return { kind: 'text', ...shape };
}

export function word<const W extends string>(words: readonly W[], description?: string): WordShape & Of<W> {
  return { kind: 'word', words, ...told(description) };
}

export function count(min: number, max: number, description: string): CountShape & Of<number> {
  return { kind: 'count', min, max, description };
}

export function amount(refuse: AmountShape['refuse'], description?: string): AmountShape & Of<number> {
  return { kind: 'amount', refuse, ...told(description) };
}

export function flag(description?: string): FlagShape & Of<boolean> {
  return { kind: 'flag', ...told(description) };
}

export function onlyTrue(description?: string): FlagShape & Of<true> {
  return { kind: 'flag', onlyTrue: true, ...told(description) };
}

export function open(what: string, description: string): OpenShape & Of<unknown> {
  return { kind: 'open', what, description };
}

export function list<S extends Shape>(
  what: string,
  of: S,
  [min, max]: readonly [number, number],
  more: Told & Pick<ListShape, 'ifEmpty' | 'ifLonger'> = {},
): ListShape & Of<readonly TypeOf<S>[]> {
  return { kind: 'list', what, of, min, max, ...more };
}

export function table<S extends Shape>(
  what: string,
  names: TextShape,
  of: S,
  description?: string,
): TableShape & Of<{ readonly [name: string]: TypeOf<S> }> {
  return { kind: 'table', what, names, of, ...told(description) };
}

export function object<M extends Shapes, const R extends keyof M & string>(
  what: string,
  required: readonly R[],
  members: M,
  more: Told & { readonly rules?: readonly Rule[] } = {},
): ObjectShape & Of<Members<M, R>> {
  return { kind: 'object', what, required, members, ...more };
}

export function either<const S extends readonly Shape[]>(
  what: string,
  options: S,
  description?: string,
): EitherShape & Of<TypeOf<S[number]>> {
  return { kind: 'either', what, options, ...told(description) };
}

function told(description: string | undefined): Told {
  return description === undefined ? {} : { description };
}
