/** List filters, kept in the address so that a filtered list can be shared. */
import { FILTERS } from '@writecheck/api/decision-filters';
import type { DecisionQuery } from '../../calls/decisions.ts';
import type { Agents } from '../../components/agent/use-agents.ts';
import { rangeOf } from '../../components/decision/time-range.ts';

export type Filters = { readonly [name: string]: string };

export function filtersOf(query: URLSearchParams): Filters {
  // An address can hold anything, and what is no time would break every text about it.
  const isSound = (name: string, value: string) =>
    value !== '' && ((name !== 'from' && name !== 'to') || !Number.isNaN(Date.parse(value)));
  return Object.fromEntries([...query].filter(([name, value]) => isSound(name, value)));
}

/** The query without its time range. */
export function queryOf(filters: Filters): DecisionQuery {
  const outcome = filters.outcome === undefined ? {} : { outcome: filters.outcome };
  const named = Object.fromEntries(
    FILTERS.flatMap(({ name }) => (filters[name] === undefined ? [] : [[name, filters[name]]])),
  );
  return { ...named, ...outcome } as DecisionQuery;
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
  return (
    filters.q !== undefined ||
    filters.is !== undefined ||
    filters.outcome !== undefined ||
    FILTERS.some(({ name }) => filters[name] !== undefined)
  );
}

/** The value of `is` for writes that were stopped although their value looked right. Only this page knows it. */
export const LOOK_ALIKE = 'lookalike';

/** Such as `run:run-77` or `object:" padded "`: exact filters typed into the search field, among other words. */
const TYPED = /\b([a-z]{1,12}):(?:"([^"]*)"|([^\s"]+))/g;

/** Null if nothing in the text is a filter. `agent:` takes a name, as people know agents. */
export function filtersFrom(typed: string, agents: Agents = new Map()): Filters | null {
  const found: Record<string, string> = {};
  const left = typed.replaceAll(TYPED, (whole, word, inQuotes, bare) => {
    if (word === 'is' && bare === LOOK_ALIKE) {
      found.is = bare;
      return '';
    }
    const filter = FILTERS.find((each) => each.word === word);
    if (filter === undefined) return whole;
    const value = inQuotes ?? bare;
    const named = [...agents].find(([, name]) => filter.name === 'keyId' && name === value);
    found[filter.name] = named?.[0] ?? value;
    return '';
  });
  if (Object.keys(found).length === 0) return null;
  return { ...found, q: left.replaceAll(/\s+/g, ' ').trim() };
}
