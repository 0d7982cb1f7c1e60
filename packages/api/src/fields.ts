/** Small readers for the members of a request body or query; each has its JSON Schema, so the two cannot differ. */
import {
  isName,
  type JsonSchema,
  NAME_CHARACTERS_MAX,
  parseInstant,
  pointerTo,
  shortened,
} from '@writecheck/contract';
import { absent, type ObjectOf, type Optional, type Shape } from './shape.ts';

const MS_DIGITS = 3;

/** `T` is what the service works with, `Wire` what a caller sends. */
export interface Field<T, Wire = T> extends Shape<Wire> {
  readonly read: (value: unknown) => { readonly value: T } | { readonly fault: string };
}

export type Fault = { readonly pointer: string; readonly message: string };

type Fields = { readonly [name: string]: Field<unknown, unknown> };
export type Members<F extends Fields> = {
  readonly [name in keyof F]: F[name] extends Field<infer T, unknown> ? T : never;
};

export interface BodyShape<T, Wire = unknown> extends Shape<Wire> {
  /** The schema of each member. */
  readonly members: { readonly [name: string]: JsonSchema };
  readonly read: (value: unknown) => { readonly value: T } | { readonly faults: readonly Fault[] };
}

/** An object of exactly these members. An unknown member is refused: a misspelled limit must not vanish. */
export function bodyOf<F extends Fields>(fields: F): BodyShape<Members<F>, ObjectOf<F>> {
  const names = Object.keys(fields);
  const members = Object.fromEntries(names.map((name) => [name, fields[name]!.schema]));
  const schema = {
    type: 'object',
    properties: members,
    required: names.filter((name) => fields[name]!.isRequired),
    additionalProperties: false,
  };
  return { schema, isRequired: true, members, read: (value) => readMembers(fields, value) };
}

function readMembers<F extends Fields>(
  fields: F,
  value: unknown,
): { readonly value: Members<F> } | { readonly faults: readonly Fault[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { faults: [{ pointer: '', message: 'the body must be a JSON object' }] };
  }
  const sent = value as { readonly [name: string]: unknown };
  const known = Object.keys(fields);
  const faults: Fault[] = [];
  for (const name of Object.keys(sent)) {
    if (known.includes(name)) continue;
    const message = `\`${shortened(name)}\` is not a known member; use one of ${known.map((each) => `\`${each}\``).join(', ')}`;
    faults.push({ pointer: pointerTo('', name), message });
  }
  const members: Record<string, unknown> = {};
  for (const name of known) {
    const field = fields[name]!;
    const isSent = Object.hasOwn(sent, name) && sent[name] !== null;
    if (!isSent && field.isRequired) {
      faults.push({ pointer: `/${name}`, message: `\`${name}\` is missing` });
      continue;
    }
    const read = isSent ? field.read(sent[name]) : { value: undefined };
    if ('value' in read) members[name] = read.value;
    else faults.push({ pointer: `/${name}`, message: `\`${name}\` ${read.fault}` });
  }
  return faults.length > 0 ? { faults } : { value: members as Members<F> };
}

/** May be omitted or null. */
export function optional<T, Wire>(field: Field<T, Wire>): Field<T | undefined, Wire> & Optional {
  return absent<Field<T | undefined, Wire>>(field);
}

/** A name as defined in the contract: 1 to 256 code points, no control characters, no spaces at the ends. */
export const name: Field<string> = {
  schema: { type: 'string', minLength: 1, maxLength: NAME_CHARACTERS_MAX },
  isRequired: true,
  read: (value) =>
    isName(value)
      ? { value }
      : {
          fault: `must be a string of 1 to ${NAME_CHARACTERS_MAX} characters without control characters or spaces at the ends`,
        },
};

export function choice<const T extends string>(...choices: readonly T[]): Field<T> {
  return {
    schema: { enum: choices },
    isRequired: true,
    read: (value) => {
      const found = choices.find((each) => each === value);
      return found === undefined
        ? { fault: `must be one of ${choices.map((each) => `\`${each}\``).join(', ')}` }
        : { value: found };
    },
  };
}

export function wholeNumber(least: number, most: number): Field<number> {
  return {
    schema: { type: 'integer', minimum: least, maximum: most },
    isRequired: true,
    read: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
        ? { value }
        : { fault: `must be a whole number from ${least} to ${most}` },
  };
}

export const flag: Field<boolean> = {
  schema: { type: 'boolean' },
  isRequired: true,
  read: (value) => (typeof value === 'boolean' ? { value } : { fault: 'must be `true` or `false`' }),
};

/** A moment with its offset, as epoch milliseconds. */
export const moment: Field<number, string> = {
  schema: { type: 'string', format: 'date-time' },
  isRequired: true,
  read: (value) => {
    const instant = typeof value === 'string' ? parseInstant(value) : null;
    return instant?.hasOffset
      ? { value: instant.ms }
      : { fault: 'must be a date-time with its offset, such as `2027-01-31T12:00:00Z`' };
  },
};

/**
 * The start or end of a range of records, as epoch milliseconds. Records are dated in whole milliseconds, so
 * both ends are rounded up: `from` excludes a record that is earlier by less than a millisecond, and `to`
 * includes it.
 */
export const boundary: Field<number, string> = {
  ...moment,
  read: (value) => {
    const read = moment.read(value);
    if (!('value' in read) || typeof value !== 'string') return read;
    const isFiner = (parseInstant(value)?.fraction.length ?? 0) > MS_DIGITS;
    return { value: isFiner ? read.value + 1 : read.value };
  },
};

export function listOf<T, Wire>(
  element: Field<T, Wire>,
  least: number,
  most: number,
): Field<readonly T[], readonly Wire[]> {
  return {
    schema: { type: 'array', items: element.schema, minItems: least, maxItems: most },
    isRequired: true,
    read: (value) => {
      if (!Array.isArray(value) || value.length < least || value.length > most) {
        return { fault: `must be a list of ${least} to ${most} elements` };
      }
      const elements: T[] = [];
      for (const [at, each] of value.entries()) {
        const read = element.read(each);
        if ('fault' in read) return { fault: `has an element ${at} that ${read.fault}` };
        elements.push(read.value);
      }
      return { value: elements };
    },
  };
}
