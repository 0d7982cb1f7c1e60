/** List filters, kept in the address so that a filtered list can be shared. */
import { FILTERS } from '@writecheck/api/decision-filters';
import type { DecisionQuery } from '../../calls/decisions.ts';
import type { Agents } from '../../components/agent/use-agents.ts';
import { rangeOf } from '../../components/decision/time-range.ts';
import { readTyped, type Term, type Typed, termText, wordText } from '../../components/search/typed.ts';
import { DECISION_WORDS } from '../../components/search/vocabularies.ts';

/**
 * Those of the service under its names; beside them `q` (words to search for), `terms` (other filters, as they are typed),
 * `is`, `order`, `time` or `from` and `to`, and `pages`.
 */
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

/** Whether the page has to read the decisions themselves to know which are meant. */
export function isSearched({ q, is, terms, order }: Filters): boolean {
  return q !== undefined || is !== undefined || terms !== undefined || order !== undefined;
}

/** Whether anything but the time narrows the list. */
export function isNarrowed({ order: _, ...filters }: Filters): boolean {
  return (
    isSearched(filters) ||
    filters.outcome !== undefined ||
    FILTERS.some(({ name }) => filters[name] !== undefined)
  );
}

export function typedIn(text: string): Typed {
  return readTyped(text, DECISION_WORDS);
}

/**
 * Whether a pause may apply the text. The last word still grows if it is a filter, and may become one if it begins like
 * a filter's name: Enter says that it is done, and so does a space.
 */
export function isSettled(text: string): boolean {
  const last = text.split(/\s/).at(-1)!;
  const begun = last.toLowerCase().replace(/^[-!]/, '');
  const isBegun = last !== '' && DECISION_WORDS.words.some((word) => word.startsWith(begun));
  const { isUnfinished, fault } = typedIn(text);
  return !isBegun && !isUnfinished && fault === null && typedIn(last).terms.length === 0;
}

export function termsOf({ terms = '' }: Filters): readonly Term[] {
  return typedIn(terms).terms;
}

/** Each once. */
export function termsText(terms: readonly Term[]): string {
  return [...new Set(terms.map(termText))].join(' ');
}

/**
 * What to change in the filters that are set; null if nothing in the text is a filter. `agent:` takes a name, as people
 * know agents.
 */
export function filtersFrom(typed: Typed, agents: Agents, set: Filters = {}): Filters | null {
  if (typed.terms.length === 0 || typed.fault !== null) return null;
  const found: Record<string, string> = {};
  const others = typed.terms.filter(({ word, isNot, value }) => {
    if (isNot) return true;
    const name = word === 'is' ? 'is' : FILTERS.find((each) => each.word === word)?.name;
    if (name === undefined) return true;
    const agent = [...agents].find(([, called]) => name === 'keyId' && called === value);
    found[name] = agent?.[0] ?? value;
    return false;
  });
  const terms = others.length === 0 ? {} : { terms: termsText([...termsOf(set), ...others]) };
  return { ...found, ...terms, q: typed.words.map(wordText).join(' ') };
}
