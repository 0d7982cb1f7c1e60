/** The first and the last day of a chosen time, in UTC as in the records. */
import type { Filters } from './filters.ts';

const DAY_MS = 86_400_000;

/** The seven days that end today, to start from. */
export function lastWeek(nowMs: number): Filters {
  return { time: '', from: startOf(nowMs - 6 * DAY_MS), to: startOf(nowMs + DAY_MS) };
}

function startOf(ms: number): string {
  return new Date(Math.floor(ms / DAY_MS) * DAY_MS).toISOString();
}

export function DateRange({
  from,
  to,
  onChange,
}: {
  readonly from: string;
  readonly to: string;
  readonly onChange: (changes: Filters) => void;
}) {
  // The end is not included in the query, but the last day is in the field.
  const last = new Date(Date.parse(to) - 1).toISOString().slice(0, 10);
  const first = new Date(from).toISOString().slice(0, 10);
  const set = (newFirst: string, newLast: string) => {
    // An emptied field keeps what it was; the list of times next to it has "All time".
    if (newFirst === '' || newLast === '') return;
    const [begin, end] = newFirst <= newLast ? [newFirst, newLast] : [newLast, newFirst];
    onChange({ from: startOf(Date.parse(begin)), to: startOf(Date.parse(end) + DAY_MS) });
  };
  return (
    <>
      <label class="day">
        <span class="hidden">From (UTC)</span>
        <input type="date" value={first} onChange={(event) => set(event.currentTarget.value, last)} />
      </label>
      <label class="day">
        <span class="hidden">To (UTC), included</span>
        <input type="date" value={last} onChange={(event) => set(first, event.currentTarget.value)} />
      </label>
    </>
  );
}
