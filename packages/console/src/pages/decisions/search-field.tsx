/** The search field of the list: words search as they are typed, filters such as `system:erp` with Enter. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Agents } from '../../components/agent/use-agents.ts';
import { go } from '../../state/route.ts';
import { type Filters, filtersFrom } from './filters.ts';

const SETTLES_AFTER_MS = 350;

/** Waits for a pause in typing before it searches. */
export function SearchField({
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
  const exact = filtersFrom(typed, agents);
  const settle = (isFinal: boolean) => {
    settled.current = typed;
    const id = typed.trim();
    if (/^dec_[0-9a-f]{32}$/.test(id)) return go(`/decisions/${id}`);
    if (/^rev_[0-9a-f]{32}$/.test(id)) return go(`/reviews/${id}`);
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
        placeholder="Search, or system:erp object:V-2077 is:lookalike"
        spellcheck={false}
        autocomplete="off"
        aria-describedby={exact === null ? undefined : 'search-hint'}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') settle(true);
        }}
      />
      {exact !== null && (
        <span id="search-hint" class="quiet small-text search-hint">
          <kbd>Enter</kbd> applies the filters.
        </span>
      )}
    </label>
  );
}
