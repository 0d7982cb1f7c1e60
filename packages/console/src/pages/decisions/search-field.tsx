/** The search field of the list: words search as they are typed, filters such as `system:erp` with Enter or a space. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Agents } from '../../components/agent/use-agents.ts';
import { SearchHint } from '../../components/search/search-hint.tsx';
import { DECISION_WORDS } from '../../components/search/vocabularies.ts';
import { RevealedText } from '../../components/text.tsx';
import { go } from '../../state/route.ts';
import { type Filters, filtersFrom, isSettled, typedIn } from './filters.ts';
import { type Suggestion, suggestionsFor } from './search-words.ts';
import { useKnownValues } from './use-known-values.ts';

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
  const [isOpen, setIsOpen] = useState(false);
  /** The suggestion that the arrow keys are on; -1 for the field itself. */
  const [at, setAt] = useState(-1);
  const settled = useRef(value);
  const offered = suggestionsFor(typed, useKnownValues(agents, isOpen && typed.includes(':')));
  const reading = useMemo(() => typedIn(typed), [typed]);
  const isListed = isOpen && offered.length > 0;
  const settle = (text: string, isFinal: boolean) => {
    const { fault, isUnfinished } = typedIn(text);
    const exact = filtersFrom(typedIn(text), agents, filters);
    const id = text.trim();
    settled.current = id;
    if (/^dec_[0-9a-f]{32}$/.test(id)) return go(`/decisions/${id}`);
    if (/^rev_[0-9a-f]{32}$/.test(id)) return go(`/reviews/${id}`);
    // A filter without a value waits for one, and an impossible filter is not applied.
    if (isFinal ? isUnfinished || fault !== null : !isSettled(text)) return;
    if (isFinal) setIsOpen(false);
    if (exact === null) return onSettle({ q: id });
    const rest = exact.q ?? '';
    // After a space, the user goes on typing.
    setTyped(rest !== '' && !isFinal && /\s$/.test(text) ? `${rest} ` : rest);
    settled.current = rest;
    onSettle(exact);
  };
  const type = (text: string) => {
    setTyped(text);
    setIsOpen(true);
    setAt(-1);
  };
  const take = ({ text, isWhole }: Suggestion) => {
    type(text);
    if (isWhole) settle(text, true);
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const chosen = isListed ? offered[at] : undefined;
    // Without a choice, Tab leaves the field.
    if (chosen !== undefined && (event.key === 'Tab' || event.key === 'Enter') && !event.shiftKey)
      take(chosen);
    else if (event.key === 'Enter') return settle(typed, true);
    else if (step !== 0 && isListed) setAt(((at + 1 + step + offered.length + 1) % (offered.length + 1)) - 1);
    else if (event.key === 'ArrowDown' && offered.length > 0) setIsOpen(true);
    else if (event.key === 'Escape' && isListed) setIsOpen(false);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    // The settled text comes back as `value` and must not overwrite newer typing.
    if (value !== settled.current) setTyped(value);
    settled.current = value;
  }, [value]);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => settle(typed, false), SETTLES_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div class="search-field">
      <label>
        <span class="hidden">Search</span>
        <input
          id="search"
          type="text"
          enterkeyhint="search"
          role="combobox"
          value={typed}
          placeholder="Search, or agent:ap-bot amount:>10000"
          spellcheck={false}
          autocomplete="off"
          aria-autocomplete="list"
          aria-expanded={isListed}
          aria-controls={isListed ? 'suggestions' : undefined}
          aria-activedescendant={isListed && at >= 0 ? `suggestion-${at}` : undefined}
          aria-describedby="search-hint"
          onInput={(event) => type(event.currentTarget.value)}
          onFocus={() => setIsOpen(true)}
          onBlur={() => setIsOpen(false)}
          onKeyDown={press}
        />
      </label>
      {isListed && <Suggestions offered={offered} at={at} onTake={take} />}
      <SearchHint id="search-hint" text={typed} typed={reading} vocabulary={DECISION_WORDS} onMeant={type}>
        {reading.terms.length > 0 ? (
          <>
            <kbd>Enter</kbd> applies the filters.
          </>
        ) : (
          typed.trim() !== value &&
          !isSettled(typed) && (
            <>
              <kbd>Enter</kbd> searches for this word.
            </>
          )
        )}
      </SearchHint>
    </div>
  );
}

/** What can be typed next; the field keeps the focus and handles the keys. */
function Suggestions({
  offered,
  at,
  onTake,
}: {
  readonly offered: readonly Suggestion[];
  readonly at: number;
  readonly onTake: (taken: Suggestion) => void;
}) {
  return (
    <div id="suggestions" class="suggestions" role="listbox" aria-label="Suggestions">
      {offered.map((each, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of its list.
        // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
        <div
          key={each.text}
          id={`suggestion-${index}`}
          role="option"
          aria-selected={index === at}
          // Or the field would lose the focus, and the list would close before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(each)}
        >
          <RevealedText text={each.label} />
          <span class="quiet small-text">
            <RevealedText text={each.what} />
          </span>
        </div>
      ))}
    </div>
  );
}
