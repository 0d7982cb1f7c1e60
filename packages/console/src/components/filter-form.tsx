/** The search field and filters above a list; on a phone, or everywhere, the filters wait behind a button. */
import { useState } from 'preact/hooks';

export function FilterForm({
  search,
  beside,
  count,
  isFolded = false,
  children,
}: {
  readonly search: preact.ComponentChildren;
  /** An extra field beside the search field. */
  readonly beside?: preact.ComponentChildren;
  /** How many filters are set, which the button says. */
  readonly count: number;
  /** Whether the filters are collapsed at every width; active filters stay visible. */
  readonly isFolded?: boolean;
  readonly children: preact.ComponentChildren;
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <form
      class={`filter-bar${isFolded ? ' is-folded' : ''}${isOpen ? ' is-open' : ''}`}
      onSubmit={(event) => event.preventDefault()}
    >
      {search}
      <button
        type="button"
        class={`filters-button${isFolded ? '' : ' phone-only'}${count > 0 ? ' is-set' : ''}`}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        Filter
        {count > 0 && (
          <>
            {' '}
            <span class="count">
              {count}
              <span class="hidden"> set</span>
            </span>
          </>
        )}
      </button>
      {beside}
      <div class="filters">{children}</div>
    </form>
  );
}
