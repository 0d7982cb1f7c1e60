/** The search field and filters of a list of reviews. */
import { FilterChoice } from '../../components/filter-choice.tsx';
import { FilterForm } from '../../components/filter-form.tsx';
import { SearchHint } from '../../components/search/search-hint.tsx';
import { readTyped } from '../../components/search/typed.ts';
import { REVIEW_WORDS } from '../../components/search/vocabularies.ts';

type Options = readonly (readonly [value: string, shown: string])[];

export function InboxFilters({
  label,
  q,
  choices,
  found,
  onSet,
  onClear,
  children,
}: {
  readonly label: string;
  readonly q: string;
  readonly choices: readonly {
    readonly name: string;
    readonly label: string;
    readonly value: string;
    readonly options: Options;
  }[];
  /** Such as "3 of 45"; null if nothing is filtered. */
  readonly found: string | null;
  readonly onSet: (name: string, value: string) => void;
  readonly onClear: () => void;
  /** Stands beside the search. */
  readonly children?: preact.ComponentChildren;
}) {
  return (
    <search aria-label={label}>
      <FilterForm
        isFolded
        count={choices.filter(({ value }) => value !== '').length}
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
                onInput={(event) => onSet('q', event.currentTarget.value)}
              />
            </label>
            <SearchHint
              id="inbox-hint"
              text={q}
              typed={readTyped(q, REVIEW_WORDS)}
              vocabulary={REVIEW_WORDS}
              onMeant={(text) => onSet('q', text)}
            />
          </div>
        }
      >
        {choices.map((choice) => (
          <FilterChoice
            key={choice.name}
            label={choice.label}
            value={choice.value}
            options={choice.options}
            onChange={(value) => onSet(choice.name, value)}
          />
        ))}
      </FilterForm>
      {found !== null && (
        <p class="small-text quiet" role="status">
          {found}{' '}
          <button type="button" class="plain small" onClick={onClear}>
            Clear
          </button>
        </p>
      )}
    </search>
  );
}

export function distinct(names: readonly string[]): Options {
  return [...new Set(names)].sort().map((name) => [name, name] as const);
}
