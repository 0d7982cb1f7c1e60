/** The search field, filters and order of the inbox. */
import type { Review } from '@writecheck/api';
import { FilterChoice } from '../../components/filter-choice.tsx';
import { replacePlace } from '../../state/route.ts';
import {
  AMOUNTS_FROM,
  agentNameOf,
  DEFAULT_ORDER,
  isNarrow,
  type Narrowing,
  ORDERS,
} from './sort-reviews.ts';

export function InboxFilters({
  all,
  shown,
  narrowing,
}: {
  readonly all: readonly Review[];
  /** How many are left. */
  readonly shown: number;
  readonly narrowing: Narrowing;
}) {
  const set = (changes: Partial<Narrowing>) => {
    const { order, ...rest } = { ...narrowing, ...changes };
    replacePlace('/reviews', { ...rest, order: order === DEFAULT_ORDER ? '' : order });
  };
  const choices = [
    { name: 'agent', label: 'Agent', options: distinct(all.map(agentNameOf)) },
    {
      name: 'control',
      label: 'Control',
      options: distinct(all.flatMap(({ controls }) => controls.map(({ controlId }) => controlId))),
    },
    {
      name: 'from',
      label: 'Amount',
      options: AMOUNTS_FROM.map((from) => [String(from), `from ${from.toLocaleString('en')}`] as const),
    },
    {
      name: 'taken',
      label: 'Taken by',
      options: [
        ['me', 'taken by me'],
        ['nobody', 'taken by nobody'],
      ],
    },
  ] as const;
  return (
    <search aria-label="Inbox">
      <form class="filter-bar" onSubmit={(event) => event.preventDefault()}>
        <label class="search-field">
          <span class="hidden">Search the inbox</span>
          <input
            type="search"
            value={narrowing.q}
            placeholder="Search object, value, requester …"
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => set({ q: event.currentTarget.value })}
          />
        </label>
        {choices.map(({ name, label, options }) => (
          <FilterChoice
            key={name}
            label={label}
            value={narrowing[name]}
            options={options}
            onChange={(value) => set({ [name]: value })}
          />
        ))}
        <label>
          <span class="hidden">Order</span>
          <select
            value={narrowing.order}
            onChange={(event) => set({ order: event.currentTarget.value as Narrowing['order'] })}
          >
            {Object.entries(ORDERS).map(([order, label]) => (
              <option key={order} value={order}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </form>
      {isNarrow(narrowing) && (
        <p class="small-text quiet" role="status">
          {shown} of {all.length}{' '}
          <button
            type="button"
            class="plain small"
            onClick={() => set({ q: '', agent: '', control: '', from: '', taken: '' })}
          >
            Clear
          </button>
        </p>
      )}
    </search>
  );
}

function distinct(names: readonly string[]): readonly (readonly [string, string])[] {
  return [...new Set(names)].sort().map((name) => [name, name] as const);
}
