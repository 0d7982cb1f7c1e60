/** List filters, kept in the address so that a filtered list can be shared. */
import { FILTERS } from '@writecheck/api/decision-filters';
import type { DecisionQuery } from './decisions-api.ts';
import { rangeOf } from './time-range.ts';

export type Filters = { readonly [name: string]: string };

export function filtersOf(query: URLSearchParams): Filters {
  return Object.fromEntries([...query].filter(([, value]) => value !== ''));
}

/** The query without its time range. */
export function queryOf(filters: Filters): DecisionQuery {
  return Object.fromEntries(
    FILTERS.flatMap(({ name }) => (filters[name] === undefined ? [] : [[name, filters[name]]])),
  ) as DecisionQuery;
}

/** With its time range; without one, the last seven days. */
export function timedQueryOf(filters: Filters): DecisionQuery {
  const { from, to = '', time } = filters;
  if (from !== undefined) return { ...queryOf(filters), from, to };
  if (time === 'all') return queryOf(filters);
  return { ...queryOf(filters), lately: rangeOf(time ?? null) };
}

/** Whether anything but the time narrows the list. */
export function isNarrowed(filters: Filters): boolean {
  return filters.q !== undefined || FILTERS.some(({ name }) => filters[name] !== undefined);
}

/** Such as `run:run-77` or `object:" padded "`: an exact filter typed into the search field. */
const TYPED = /^\s*([a-z]+):(?:"([^"]*)"|(\S+))\s*$/;

export function exactFrom(typed: string): { readonly name: string; readonly value: string } | null {
  const [, word, inQuotes, bare] = TYPED.exec(typed) ?? [];
  const found = FILTERS.find((each) => each.word === word);
  const value = inQuotes ?? bare;
  return found === undefined || value === undefined ? null : { name: found.name, value };
}
