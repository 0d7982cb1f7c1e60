/** One search field, the most used filters beside it, and a chip for each that is set. */

import { FILTERS } from '@writecheck/api/decision-filters';
import { DECISIONS, type Decision, REASON_CATALOGUE } from '@writecheck/contract';
import { useEffect, useRef, useState } from 'preact/hooks';
import { FilterChoice } from '../../components/filter-choice.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { go, replacePlace } from '../../state/route.ts';
import { DateRange, lastWeek } from './date-range.tsx';
import { type Filters, filtersFrom, isNarrowed } from './filters.ts';
import { stretchOf } from './outcome-chart.tsx';
import { reasonLabel } from './reason-labels.ts';
import { TIME_RANGES } from './time-range.ts';
import type { Agents } from './use-agents.ts';

const OUTCOMES: { readonly [decision in Decision]: string } = {
  allow: 'Allowed',
  pause: 'Paused',
  block: 'Blocked',
};
/** What callers reported about allows. */
const REPORTS = [
  ['done', 'Done'],
  ['failed', 'Failed'],
  ['unknown', 'Unknown'],
  ['missing', 'Not reported'],
] as const;
const REASONS = Object.keys(REASON_CATALOGUE).map((code) => [code, reasonLabel(code)] as const);

/** The time range if none is chosen. */
const DEFAULT_TIME = '7d';

export function FilterBar({
  path,
  filters,
  agents,
}: {
  readonly path: string;
  readonly filters: Filters;
  readonly agents: Agents;
}) {
  // Another filter starts at its first page.
  const set = (changes: Filters) => replacePlace(path, { ...filters, pages: '', ...changes });
  const choices = [
    {
      name: 'decision',
      label: 'Outcome',
      options: DECISIONS.map((each) => [each, OUTCOMES[each]] as const),
    },
    { name: 'keyId', label: 'Agent', options: [...agents] },
    { name: 'reason_code', label: 'Reason', options: REASONS },
    { name: 'outcome', label: 'Reported', options: REPORTS },
  ];
  return (
    <search aria-label="Decisions">
      <form class="filter-bar" onSubmit={(event) => event.preventDefault()}>
        <SearchField filters={filters} agents={agents} onSettle={set} />
        {choices.map(({ name, label, options }) => (
          <FilterChoice
            key={name}
            label={label}
            value={filters[name] ?? ''}
            options={options}
            onChange={(value) => set({ [name]: value })}
          />
        ))}
        <label>
          <span class="hidden">Time</span>
          <select
            value={filters.from === undefined ? (filters.time ?? DEFAULT_TIME) : 'between'}
            onChange={(event) =>
              set(
                event.currentTarget.value === 'between'
                  ? lastWeek(Date.now())
                  : { time: event.currentTarget.value, from: '', to: '' },
              )
            }
          >
            {TIME_RANGES.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
            <option value="all">All time</option>
            <option value="between">Chosen dates</option>
          </select>
        </label>
        {isBetween(filters) && (
          <DateRange from={filters.from!} to={filters.to ?? filters.from!} onChange={set} />
        )}
      </form>
      <Chips
        path={path}
        filters={filters}
        agents={agents}
        onRemove={(name) => set(name === 'from' ? { from: '', to: '' } : { [name]: '' })}
      />
    </search>
  );
}

/** An address can hold anything. */
function isBetween({ from = '', to = from }: Filters): boolean {
  return !Number.isNaN(Date.parse(from)) && !Number.isNaN(Date.parse(to));
}

function reportLabel(value: string): string {
  return REPORTS.find(([name]) => name === value)?.[1] ?? value;
}

function Chips({
  path,
  filters,
  agents,
  onRemove,
}: {
  readonly path: string;
  readonly filters: Filters;
  readonly agents: Agents;
  readonly onRemove: (name: string) => void;
}) {
  const { from, to } = filters;
  if (!isNarrowed(filters) && from === undefined) return null;
  const shownAs = (name: string, value: string) => {
    if (name === 'keyId') return agents.get(value) ?? value;
    if (name === 'reason_code') return reasonLabel(value);
    return name === 'decision' ? (OUTCOMES[value as Decision] ?? value) : value;
  };
  const chips = [
    ...(filters.q === undefined ? [] : [{ name: 'q', label: 'Contains', value: filters.q }]),
    ...FILTERS.flatMap(({ name, label }) =>
      filters[name] === undefined ? [] : [{ name, label, value: shownAs(name, filters[name]) }],
    ),
    ...(filters.outcome === undefined
      ? []
      : [{ name: 'outcome', label: 'Reported', value: reportLabel(filters.outcome) }]),
    ...(from === undefined
      ? []
      : [
          {
            name: 'from',
            label: 'Time',
            value: stretchOf({ fromMs: Date.parse(from), toMs: Date.parse(to ?? new Date().toISOString()) }),
          },
        ]),
  ];
  return (
    <ul class="chips" aria-label="Filters that are set">
      {chips.map(({ name, label, value }) => (
        <li key={name} class="filter-chip">
          <span>
            <span class="quiet">{label}</span>{' '}
            <span class="chip-text">{name === 'from' ? value : <RevealedText text={value} />}</span>
            {value !== value.trim() && <span class="quiet"> with spaces at an end</span>}
          </span>
          <button type="button" aria-label={`Remove filter ${label}`} onClick={() => onRemove(name)}>
            ×
          </button>
        </li>
      ))}
      <li>
        <button
          type="button"
          class="plain small"
          onClick={() => replacePlace(path, filters.time === undefined ? {} : { time: filters.time })}
        >
          Clear
        </button>
      </li>
    </ul>
  );
}

const SETTLES_AFTER_MS = 350;

/** Waits for a pause in typing before it searches. */
function SearchField({
  filters,
  agents,
  onSettle,
}: {
  readonly filters: Filters;
  readonly agents: Agents;
  readonly onSettle: (changes: Filters) => void;
}) {
  const value = filters.q ?? '';
  const [typed, setTyped] = useState(value);
  const settled = useRef(value);
  const settle = (isFinal: boolean) => {
    settled.current = typed;
    const id = typed.trim();
    if (/^dec_[0-9a-f]{32}$/.test(id)) return go(`/decisions/${id}`);
    if (/^rev_[0-9a-f]{32}$/.test(id)) return go(`/reviews/${id}`);
    const exact = filtersFrom(typed, agents);
    // Half-typed filters wait for Enter.
    if (exact !== null && !isFinal) return;
    if (exact === null) return onSettle({ q: typed });
    setTyped(exact.q ?? '');
    settled.current = exact.q ?? '';
    onSettle(exact);
  };
  useEffect(() => {
    // The settled text comes back as `value` and must not overwrite newer typing.
    if (value !== settled.current) setTyped(value);
    settled.current = value;
  }, [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => settle(false), SETTLES_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label class="search-field">
      <span class="hidden">Search</span>
      <input
        id="search"
        type="search"
        value={typed}
        placeholder="Search, or system:erp object:V-2077"
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') settle(true);
        }}
      />
    </label>
  );
}
