/**
 * Maps columns to the members of a stored value, once for both directions. The types refuse a member without a
 * column, a list or an object that is not JSON, and a boolean that is not a flag.
 */
import type { Value } from './operation.ts';

type How = 'json' | 'flag' | 'escaped';

interface Held<H extends How> {
  readonly column: string;
  readonly how: H;
}

type ColumnFor<Member> =
  NonNullable<Member> extends string | number
    ? string | Held<'escaped'>
    : Held<NonNullable<Member> extends boolean ? 'flag' : 'json'>;

type Columns<Stored> = { readonly [Member in keyof Stored]-?: ColumnFor<Stored[Member]> };

/** Null is stored as NULL. */
export function json(column: string): Held<'json'> {
  return { column, how: 'json' };
}

/** SQLite gives 1 and 0. */
export function flag(column: string): Held<'flag'> {
  return { column, how: 'flag' };
}

/** A text of any characters, see `operation.ts`. Read it with `sqlEscaping(...mapping.escaped)`. */
export function escaped(column: string): Held<'escaped'> {
  return { column, how: 'escaped' };
}

export interface Mapping<Stored> {
  /** Gives a row to `insertion` and `assignments`; an omitted member is NULL. */
  rowOf(stored: Stored): { readonly [column: string]: Value };
  /** Takes a row that may have other columns too. */
  storedOf(row: object): Stored;
  readonly columns: readonly string[];
  readonly escaped: readonly string[];
}

export function mapping<Stored extends object>(columns: Columns<Stored>): Mapping<Stored> {
  const held = Object.entries<string | Held<How>>(columns).map(([member, place]) =>
    typeof place === 'string' ? { member, column: place, how: null } : { member, ...place },
  );
  return {
    rowOf: (stored) => {
      const row: { [column: string]: Value } = {};
      const members = stored as { readonly [member: string]: Value | undefined };
      for (const { member, column, how } of held) row[column] = written(members[member] ?? null, how);
      return row;
    },
    storedOf: (row) => {
      const stored: { [member: string]: unknown } = {};
      const values = row as { readonly [column: string]: unknown };
      for (const { member, column, how } of held) {
        // INVARIANT: a missing column is never treated as another value.
        if (!(column in values)) throw new TypeError(`a row has no column ${column}`);
        stored[member] = read(values[column], how);
      }
      return stored as Stored;
    },
    columns: held.map(({ column }) => column),
    escaped: held.filter(({ how }) => how === 'escaped').map(({ column }) => column),
  };
}

function written(value: Value, how: How | null): Value {
  if (value === null) return null;
  if (how === 'json') return JSON.stringify(value);
  return how === 'escaped' ? { escaped: value as string } : value;
}

function read(value: unknown, how: How | null): unknown {
  if (how === 'flag') return Boolean(value);
  return how === 'json' && value !== null ? JSON.parse(value as string) : value;
}
