/** What each filter that is set says on its chip, and what is left without it. */

import { FILTERS } from '@writecheck/api/decision-filters';
import type { Decision } from '@writecheck/contract';
import type { Agents } from '../../components/agent/use-agents.ts';
import { reasonLabel } from '../../components/decision/reason-labels.ts';
import { stretchOf } from '../../components/decision/time-words.ts';
import { OUTCOMES_IN_WORDS } from '../../components/decision-badge.tsx';
import { amountRangeOf, rangeInWords } from '../../components/search/amount-range.ts';
import { type Wanted, wordText } from '../../components/search/typed.ts';
import { type Filters, termsOf, termsText, typedIn } from './filters.ts';

/** What callers reported about allows. */
export const REPORTS = [
  ['done', 'Done'],
  ['failed', 'Failed'],
  ['unknown', 'Unknown'],
  ['missing', 'Not reported'],
] as const;

function reportLabel(value: string): string {
  return REPORTS.find(([name]) => name === value)?.[1] ?? value;
}

interface Chip {
  readonly label: string;
  readonly value: string;
  /** What is left without it. */
  readonly without: Filters;
}

/** In the order in which they narrow: words, then filters, then the time. */
export function chipsOf(filters: Filters, agents: Agents): readonly Chip[] {
  const shownAs = (word: string, value: string) => {
    if (word === 'agent') return agents.get(value) ?? value;
    if (word === 'reason') return reasonLabel(value);
    if (word === 'is') return 'a look-alike value';
    const range = word === 'amount' ? amountRangeOf(value) : null;
    if (range !== null) return rangeInWords(range);
    return word === 'decision' ? (OUTCOMES_IN_WORDS[value as Decision] ?? value) : value;
  };
  const { words, fault } = typedIn(filters.q ?? '');
  // What cannot be searched for is shown as it was typed, by the field.
  if (fault !== null) return chipsOf({ ...filters, q: '' }, agents);
  const left = words.filter(({ isNot }) => isNot);
  const typed = (some: readonly Wanted[]) => some.map(wordText).join(' ');
  const terms = termsOf(filters);
  const { from, to, outcome, is } = filters;
  const time = from && { fromMs: Date.parse(from), toMs: Date.parse(to ?? new Date().toISOString()) };
  const chips: readonly (Omit<Chip, 'value'> & { readonly value: string | undefined })[] = [
    {
      label: 'Contains',
      value: typed(words.filter(({ isNot }) => !isNot)) || undefined,
      without: { q: typed(left) },
    },
    ...left.map((word) => ({
      label: 'Does not contain',
      value: word.text,
      without: { q: typed(words.filter((each) => each !== word)) },
    })),
    ...FILTERS.map(({ name, word, label }) => ({
      label,
      value: filters[name] && shownAs(word, filters[name]),
      without: { [name]: '' },
    })),
    ...terms.map((term) => ({
      label: `${labelOf(term.word)}${term.isNot ? (term.word === 'is' ? ' not' : ' is not') : ''}`,
      value: shownAs(term.word, term.value),
      without: { terms: termsText(terms.filter((each) => each !== term)) },
    })),
    { label: 'Is', value: is && shownAs('is', is), without: { is: '' } },
    { label: 'Reported', value: outcome && reportLabel(outcome), without: { outcome: '' } },
    { label: 'Time', value: time && stretchOf(time), without: { from: '', to: '' } },
  ];
  return chips.filter((chip): chip is Chip => chip.value !== undefined);
}

function labelOf(word: string): string {
  const label = FILTERS.find((each) => each.word === word)?.label;
  return label ?? `${word[0]!.toUpperCase()}${word.slice(1)}`;
}
