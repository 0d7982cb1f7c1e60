/** List filters, kept in the address so that a filtered list can be shared. */
import { DECISIONS, REASON_CATALOGUE } from '@writecheck/contract';
import { useEffect, useRef, useState } from 'preact/hooks';
import { go, replacePlace } from '../../state/route.ts';
import type { DecisionQuery } from './decisions-api.ts';
import { stretchOf } from './outcome-chart.tsx';
import { TIME_RANGES } from './time-range.ts';

const TEXTS = [
  { name: 'objectRef', label: 'Object' },
  { name: 'system', label: 'System' },
  { name: 'workflowId', label: 'Workflow' },
  { name: 'runId', label: 'Run' },
] as const;

type Filters = { readonly [name: string]: string };

export function filtersOf(query: URLSearchParams): Filters {
  return Object.fromEntries(query);
}

/** The query without its time range. */
export function queryOf(filters: Filters): DecisionQuery {
  const { decision, reason_code, objectRef, system, workflowId, runId } = filters;
  const given = { decision, reason_code, objectRef, system, workflowId, runId };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== ''),
  ) as DecisionQuery;
}

export function DecisionFilters({
  path,
  filters,
  hasDecision,
  defaultTime,
}: {
  readonly path: string;
  readonly filters: Filters;
  /** Whether to offer a filter by decision. */
  readonly hasDecision: boolean;
  /** The time range shown if none is chosen. */
  readonly defaultTime: string;
}) {
  const set = (changes: Filters) => replacePlace(path, { ...filters, ...changes });
  const isNarrowed = Object.entries(filters).some(([name, value]) => value !== '' && name !== 'time');
  return (
    <search aria-label="Decisions">
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        {hasDecision && (
          <label>
            Decision
            <select
              value={filters.decision ?? ''}
              onChange={(event) => set({ decision: event.currentTarget.value })}
            >
              <option value="">Any</option>
              {DECISIONS.map((decision) => (
                <option key={decision} value={decision}>
                  {decision}
                </option>
              ))}
            </select>
          </label>
        )}
        <label>
          Reason
          <select
            value={filters.reason_code ?? ''}
            onChange={(event) => set({ reason_code: event.currentTarget.value })}
          >
            <option value="">Any</option>
            {Object.keys(REASON_CATALOGUE).map((code) => (
              <option key={code} value={code}>
                {code}
              </option>
            ))}
          </select>
        </label>
        {TEXTS.map(({ name, label }) => (
          <TextFilter
            key={name}
            label={label}
            value={filters[name] ?? ''}
            onSettle={(value) => {
              // A pasted decision ID opens that decision.
              const id = value.trim();
              if (name === 'objectRef' && /^dec_[0-9a-f]{32}$/.test(id)) go(`/decisions/${id}`);
              else set({ [name]: value });
            }}
          />
        ))}
        {filters.from === undefined || filters.from === '' ? (
          <label>
            Time
            <select
              value={filters.time ?? defaultTime}
              onChange={(event) => set({ time: event.currentTarget.value })}
            >
              {TIME_RANGES.map(({ name, label }) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
              <option value="all">All time</option>
            </select>
          </label>
        ) : (
          <div class="stretch">
            <span class="label">Time</span>
            <button type="button" onClick={() => set({ from: '', to: '' })}>
              {stretchOf({
                fromMs: Date.parse(filters.from),
                toMs: Date.parse(filters.to ?? new Date().toISOString()),
              })}{' '}
              <span aria-hidden="true">×</span>
              <span class="hidden">, clear this time range</span>
            </button>
          </div>
        )}
        {isNarrowed && (
          <button
            type="button"
            class="plain clear"
            onClick={() => replacePlace(path, filters.time === undefined ? {} : { time: filters.time })}
          >
            Clear
          </button>
        )}
      </form>
    </search>
  );
}

const SETTLES_AFTER_MS = 300;

/** Waits for a pause in typing before it calls the service. */
function TextFilter({
  label,
  value,
  onSettle,
}: {
  readonly label: string;
  readonly value: string;
  readonly onSettle: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  const settled = useRef(value);
  const settle = () => {
    settled.current = typed;
    onSettle(typed);
  };
  useEffect(() => {
    // The settled text comes back as `value` and must not overwrite newer typing.
    if (value !== settled.current) setTyped(value);
    settled.current = value;
  }, [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(settle, SETTLES_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label>
      {label}
      <input
        type="search"
        value={typed}
        placeholder="exact match"
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && typed !== value) settle();
        }}
      />
      {typed !== typed.trim() && <span class="quiet small-text">Includes leading or trailing spaces</span>}
    </label>
  );
}
