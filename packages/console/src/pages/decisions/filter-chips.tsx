/** A chip for each filter that is set; the chip of the time opens its fields. */
import type { Agents } from '../../components/agent/use-agents.ts';
import { RevealedText } from '../../components/text.tsx';
import { replacePlace } from '../../state/route.ts';
import { chipsOf } from './chips.ts';
import { type Filters, isNarrowed } from './filters.ts';

function isNot(label: string): boolean {
  return / not\b/.test(label);
}

export function Chips({
  path,
  filters,
  agents,
  onTime,
  onRemove,
}: {
  readonly path: string;
  readonly filters: Filters;
  readonly agents: Agents;
  readonly onTime: () => void;
  readonly onRemove: (without: Filters) => void;
}) {
  if (!isNarrowed(filters) && filters.from === undefined) return null;
  return (
    <ul class="chips" aria-label="Filters that are set">
      {chipsOf(filters, agents).map(({ label, value, without }) => (
        <li key={`${label} ${value}`} class="filter-chip">
          <span>
            <span class={isNot(label) ? 'chip-not' : 'quiet'}>{label}</span>{' '}
            {label === 'Time' ? (
              <button type="button" class="chip-text" title="Change the time" onClick={onTime}>
                {value}
              </button>
            ) : (
              <span class="chip-text">
                <RevealedText text={value} />
              </span>
            )}
            {value !== value.trim() && <span class="quiet"> with spaces at an end</span>}
          </span>
          <button
            type="button"
            aria-label={isNot(label) ? `Remove filter ${label} ${value}` : `Remove filter ${label}`}
            onClick={() => onRemove(without)}
          >
            ×
          </button>
        </li>
      ))}
      <li>
        <button
          type="button"
          class="plain small"
          onClick={() => replacePlace(path, filters.time === undefined ? {} : { time: filters.time })}
        >
          Clear
        </button>
      </li>
    </ul>
  );
}
