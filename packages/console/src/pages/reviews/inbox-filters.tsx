/** The search field and filters of a list of reviews. */
import { FilterChoice } from '../../components/filter-choice.tsx';
import { FilterForm } from '../../components/filter-form.tsx';

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
          <label class="search-field">
            <span class="hidden">Search the inbox</span>
            <input
              type="search"
              value={q}
              placeholder="Search object, value, requester …"
              spellcheck={false}
              autocomplete="off"
              onInput={(event) => onSet('q', event.currentTarget.value)}
            />
          </label>
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
