/** The search field and filters above a list; on a phone the filters wait behind a button. */
import { useState } from 'preact/hooks';

export function FilterForm({
  search,
  isSet,
  children,
}: {
  readonly search: preact.ComponentChildren;
  /** Whether a filter is set, which the button then says. */
  readonly isSet: boolean;
  readonly children: preact.ComponentChildren;
}) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <form class={`filter-bar${isOpen ? ' is-open' : ''}`} onSubmit={(event) => event.preventDefault()}>
      {search}
      <button
        type="button"
        class={`phone-only${isSet ? ' is-set' : ''}`}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        Filter
      </button>
      {children}
    </form>
  );
}
