/** One search field, the most used filters beside it, and a chip for each that is set. */

import { DECISIONS } from '@writecheck/contract';
import { useState } from 'preact/hooks';
import type { Agents } from '../../components/agent/use-agents.ts';
import { TIME_RANGES } from '../../components/decision/time-range.ts';
import { OUTCOMES_IN_WORDS } from '../../components/decision-badge.tsx';
import { Choice } from '../../components/field.tsx';
import { FilterChoice } from '../../components/filter-choice.tsx';
import { FilterForm } from '../../components/filter-form.tsx';
import { amountRangeOf, rangeInWords } from '../../components/search/amount-range.ts';
import { LOOK_ALIKE } from '../../components/search/typed.ts';
import { replacePlace } from '../../state/route.ts';
import { REPORTS } from './chips.ts';
import { ChosenTime, yesterday } from './chosen-time.tsx';
import { Chips } from './filter-chips.tsx';
import { type Filters, termsOf, termsText } from './filters.ts';
import { SearchField } from './search-field.tsx';
import { REASONS } from './search-words.ts';

const AMOUNTS = [1_000, 10_000, 100_000].map(
  (from) => [`>=${from}`, `from ${from.toLocaleString('en')}`] as const,
);
const TIMES: readonly (readonly [name: string, label: string])[] = [
  ...TIME_RANGES.map(({ name, label }) => [name, label] as const),
  ['yesterday', 'Yesterday'],
  ['all', 'All time'],
  ['between', 'Chosen time …'],
];
/** The time range if none is chosen. */
const DEFAULT_TIME = '7d';

export function FilterBar({
  path,
  filters,
  agents,
  children,
}: {
  readonly path: string;
  readonly filters: Filters;
  readonly agents: Agents;
  /** Stands beside the chips. */
  readonly children: preact.ComponentChildren;
}) {
  const [isChoosing, setIsChoosing] = useState(false);
  // Another filter starts at its first page.
  const set = (changes: Filters) => replacePlace(path, { ...filters, pages: '', ...changes });
  const choices = [
    {
      name: 'decision',
      label: 'Outcome',
      options: DECISIONS.map((each) => [each, OUTCOMES_IN_WORDS[each]] as const),
    },
    { name: 'keyId', label: 'Agent', options: [...agents] },
    { name: 'outcome', label: 'Reported', options: REPORTS },
  ];
  const terms = termsOf(filters);
  const amount = terms.find(({ word, isNot }) => word === 'amount' && !isNot);
  const setAmount = (value: string) => {
    const others = terms.filter((term) => term !== amount);
    const chosen = value === '' ? [] : [{ word: 'amount', isNot: false, value }];
    set({ terms: termsText([...others, ...chosen]) });
  };
  const setTime = (time: string) => {
    if (time === 'between') setIsChoosing(true);
    else set(time === 'yesterday' ? yesterday() : { time, from: '', to: '' });
  };
  return (
    <search aria-label="Decisions">
      <FilterForm
        search={<SearchField filters={filters} agents={agents} onSettle={set} />}
        count={
          [...choices.map(({ name }) => name), 'is', 'reason_code'].filter(
            (name) => filters[name] !== undefined,
          ).length + (amount === undefined ? 0 : 1)
        }
      >
        {choices.map(({ name, label, options }) => (
          <FilterChoice
            key={name}
            label={label}
            value={filters[name] ?? ''}
            options={options}
            onChange={(value) => set({ [name]: value })}
          />
        ))}
        <FilterChoice
          label="Reason"
          value={filters.is ?? filters.reason_code ?? ''}
          options={REASONS}
          onChange={(value) =>
            set(value === LOOK_ALIKE ? { is: value, reason_code: '' } : { is: '', reason_code: value })
          }
        />
        <FilterChoice
          label="Amount"
          value={amount?.value ?? ''}
          options={amountsWith(amount?.value)}
          onChange={setAmount}
        />
        <Choice label="Time" isLabelHidden value={timeOf(filters)} options={TIMES} onChange={setTime} />
      </FilterForm>
      <div class="narrowing">
        <Chips
          path={path}
          filters={filters}
          agents={agents}
          onTime={() => setIsChoosing(true)}
          onRemove={set}
        />
        {children}
      </div>
      {isChoosing && <ChosenTime filters={filters} onChoose={set} onClose={() => setIsChoosing(false)} />}
    </search>
  );
}

/** One that was typed is offered in words. */
function amountsWith(value: string | undefined): readonly (readonly [value: string, shown: string])[] {
  const range = value === undefined ? null : amountRangeOf(value);
  if (range === null || AMOUNTS.some(([each]) => each === value)) return AMOUNTS;
  return [[value!, rangeInWords(range)], ...AMOUNTS];
}

function timeOf({ from, to, time }: Filters): string {
  if (from === undefined) return time ?? DEFAULT_TIME;
  const day = yesterday();
  return from === day.from && to === day.to ? 'yesterday' : 'between';
}
