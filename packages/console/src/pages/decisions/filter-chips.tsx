/** A chip for each filter that is set; the chip of the time opens its fields. */
import { FILTERS } from '@writecheck/api/decision-filters';
import type { Decision } from '@writecheck/contract';
import type { Agents } from '../../components/agent/use-agents.ts';
import { reasonLabel } from '../../components/decision/reason-labels.ts';
import { RevealedText } from '../../components/revealed-text.tsx';
import { replacePlace } from '../../state/route.ts';
import { type Filters, isNarrowed } from './filters.ts';
import { stretchOf } from './time-words.ts';

export const OUTCOMES: { readonly [decision in Decision]: string } = {
  allow: 'Allowed',
  pause: 'Paused',
  block: 'Blocked',
};
/** What callers reported about allows. */
export const REPORTS = [
  ['done', 'Done'],
  ['failed', 'Failed'],
  ['unknown', 'Unknown'],
  ['missing', 'Not reported'],
] as const;

function reportLabel(value: string): string {
  return REPORTS.find(([name]) => name === value)?.[1] ?? value;
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
  readonly onRemove: (name: string) => void;
}) {
  const { from, to } = filters;
  if (!isNarrowed(filters) && from === undefined) return null;
  const shownAs = (name: string, value: string) => {
    if (name === 'keyId') return agents.get(value) ?? value;
    if (name === 'reason_code') return reasonLabel(value);
    return name === 'decision' ? (OUTCOMES[value as Decision] ?? value) : value;
  };
  const chips = [
    ...(filters.q === undefined ? [] : [{ name: 'q', label: 'Contains', value: filters.q }]),
    ...FILTERS.flatMap(({ name, label }) =>
      filters[name] === undefined ? [] : [{ name, label, value: shownAs(name, filters[name]) }],
    ),
    ...(filters.is === undefined ? [] : [{ name: 'is', label: 'Is', value: 'a look-alike value' }]),
    ...(filters.outcome === undefined
      ? []
      : [{ name: 'outcome', label: 'Reported', value: reportLabel(filters.outcome) }]),
    ...(from === undefined
      ? []
      : [
          {
            name: 'from',
            label: 'Time',
            value: stretchOf({ fromMs: Date.parse(from), toMs: Date.parse(to ?? new Date().toISOString()) }),
          },
        ]),
  ];
  return (
    <ul class="chips" aria-label="Filters that are set">
      {chips.map(({ name, label, value }) => (
        <li key={name} class="filter-chip">
          <span>
            <span class="quiet">{label}</span>{' '}
            {name === 'from' ? (
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
          <button type="button" aria-label={`Remove filter ${label}`} onClick={() => onRemove(name)}>
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
