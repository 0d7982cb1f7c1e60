/** Readers for query parameters that several lists share: a filter, the page size. */
import { type Field, optional } from './fields.ts';
import { described } from './shape.ts';

export const anyText: Field<string> = {
  schema: { type: 'string', minLength: 1 },
  isRequired: false,
  read: (value) =>
    typeof value === 'string' && value !== '' ? { value } : { fault: 'must be a string that is not empty' },
};

/** A whole number in its query spelling. */
export function numberInQuery(least: number, most: number, fallback: number): Field<number, number | string> {
  return {
    schema: { type: 'integer', minimum: least, maximum: most, default: fallback },
    isRequired: false,
    read: (value) => {
      const asked = /^\d{1,4}$/.test(String(value)) ? Number(value) : -1;
      return asked >= least && asked <= most
        ? { value: asked }
        : { fault: `must be a whole number from ${least} to ${most}` };
    },
  };
}

export const PAGE_DEFAULT_MAX = 50;
export const pageLimit = described('maximum number of items', numberInQuery(1, 200, PAGE_DEFAULT_MAX));
export const cursor = described('the `nextCursor` of the previous page', optional(anyText));
