/** The shape of a value on the wire: one definition gives its TypeScript type and its JSON Schema in OpenAPI. */
import type { JsonSchema } from '@writecheck/contract';

export interface Shape<T> {
  readonly schema: JsonSchema;
  /** Whether an object must have this member. */
  readonly isRequired: boolean;
  /** Never set: it carries the type. */
  readonly type?: T;
}

export type Optional = { readonly isRequired: false };
export type TypeOf<S> = S extends Shape<infer T> ? T : never;

type Shapes = { readonly [name: string]: Shape<unknown> };

/** The object that has these members, some of them perhaps absent. */
export type ObjectOf<M> = Flat<
  { readonly [name in keyof M as M[name] extends Optional ? never : name]: TypeOf<M[name]> } & {
    readonly [name in keyof M as M[name] extends Optional ? name : never]?: TypeOf<M[name]>;
  }
>;
type Flat<T> = { readonly [name in keyof T]: T[name] };

export function shape<T>(schema: JsonSchema): Shape<T> {
  return { schema, isRequired: true };
}

export const text = shape<string>({ type: 'string' });
/** A moment in UTC, as responses write it. */
export const time = shape<string>({ type: 'string', format: 'date-time' });

export const whole = shape<number>({ type: 'integer' });
export const count = shape<number>({ type: 'integer', minimum: 0 });
export const number = shape<number>({ type: 'number' });
/** Another system defines its members. */
export const anyObject = shape<{ readonly [member: string]: unknown }>({ type: 'object' });

export function constant<const T extends string | boolean>(value: T): Shape<T> {
  return shape({ const: value });
}

export function list<T>(element: Shape<T>): Shape<readonly T[]> {
  return shape({ type: 'array', items: element.schema });
}

/** Members are always present, except those marked `optional`. */
export function object<M extends Shapes>(members: M): Shape<ObjectOf<M>> {
  const names = Object.keys(members);
  return shape({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, members[name]!.schema])),
    required: names.filter((name) => members[name]!.isRequired),
  });
}

export function nullable<T>({ schema }: Shape<T>): Shape<T | null> {
  if (schema.enum !== undefined) return shape({ ...schema, enum: [...(schema.enum as unknown[]), null] });
  if (typeof schema.type === 'string' && schema.type !== 'object')
    return shape({ ...schema, type: [schema.type, 'null'] });
  return shape({ anyOf: [schema, { type: 'null' }] });
}

/** May be absent. */
export function absent<S extends Shape<unknown>>(member: S): S & Optional {
  return { ...member, isRequired: false };
}

export function described<S extends Shape<unknown>>(description: string, of: S): S {
  return { ...of, schema: { ...of.schema, description } };
}

/** A shape under its name in the OpenAPI document, which defines it once. */
export function named<T>(name: string, { schema }: Shape<T>): Shape<T> & { readonly definition: JsonSchema } {
  return { ...shape<T>({ $ref: `#/components/schemas/${name}` }), definition: schema };
}
