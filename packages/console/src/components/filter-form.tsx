/** The search field and filters above a list; on a phone, or everywhere, the filters wait behind a button. */
import { useState } from 'preact/hooks';

export function FilterForm({
  search,
  isSet,
  isFolded = false,
  children,
}: {
  readonly search: preact.ComponentChildren;
  /** Whether a filter is set, which the button then says. */
  readonly isSet: boolean;
  /** Whether they wait behind it at any width; what is set or chosen stays. */
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
        class={`filters-button${isFolded ? '' : ' phone-only'}${isSet ? ' is-set' : ''}`}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        Filter
      </button>
      {children}
    </form>
  );
}
