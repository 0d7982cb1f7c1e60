/** The search field and filters of a list of reviews. */
import type { Review } from '@writecheck/api';
import { FilterChoice } from '../../components/filter-choice.tsx';
import { FilterForm } from '../../components/filter-form.tsx';
import { SearchHint } from '../../components/search/search-hint.tsx';
import { readTyped } from '../../components/search/typed.ts';
import { REVIEW_WORDS } from '../../components/search/vocabularies.ts';
import { replacePlace } from '../../state/route.ts';
import { orderIn } from './order-reviews.ts';
import { FILTERS, type FilterName, isNarrow, type Narrowing, narrowingOf } from './sort-reviews.ts';

export function InboxFilters({
  label,
  names,
  all,
  narrowing,
  found,
  children,
}: {
  readonly label: string;
  readonly names: readonly FilterName[];
  /** Before they were narrowed. */
  readonly all: readonly Review[];
  readonly narrowing: Narrowing;
  /** Such as "3 of 45". */
  readonly found: string;
  /** Stands beside the search. */
  readonly children?: preact.ComponentChildren;
}) {
  const { q, show, order } = narrowing;
  const search = (text: string) => narrow({ ...narrowing, q: text });
  return (
    <search aria-label={label}>
      <FilterForm
        isFolded
        count={names.filter((name) => narrowing[name] !== '').length}
        beside={children}
        search={
          <div class="search-field">
            <label>
              <span class="hidden">Search the inbox</span>
              <input
                type="search"
                value={q}
                placeholder="Search, or agent:ap-bot amount:>10000"
                spellcheck={false}
                autocomplete="off"
                aria-describedby="inbox-hint"
                onInput={(event) => search(event.currentTarget.value)}
              />
            </label>
            <SearchHint
              id="inbox-hint"
              text={q}
              typed={readTyped(q, REVIEW_WORDS)}
              vocabulary={REVIEW_WORDS}
              onMeant={search}
            />
          </div>
        }
      >
        {names.map((name) => (
          <FilterChoice
            key={name}
            label={FILTERS[name].label}
            value={narrowing[name]}
            options={FILTERS[name].options(all)}
            onChange={(value) => narrow({ ...narrowing, [name]: value })}
          />
        ))}
      </FilterForm>
      {isNarrow(narrowing) && (
        <p class="small-text quiet" role="status">
          {found}{' '}
          <button
            type="button"
            class="plain small"
            onClick={() => narrow({ ...narrowingOf(new URLSearchParams(), show), order })}
          >
            Clear
          </button>
        </p>
      )}
    </search>
  );
}

/** The default order is not in the address. */
export function narrow({ order, ...rest }: Narrowing): void {
  replacePlace('/reviews', { ...rest, order: order === orderIn(null, rest.show) ? '' : order });
}
