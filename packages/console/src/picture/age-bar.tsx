/** The age of evidence against the most its control allows. */
import { ago, inWords } from './durations.ts';

interface AgeBarProps {
  /** Null where nobody knows. */
  readonly ageMs: number | null;
  /** Null where the control has none, undefined where it is not known whether it has. */
  readonly maxAgeMs: number | null | undefined;
}

/** Past its limit the bar is full, and the mark of the limit moves back to show by how much. */
export function AgeBar({ ageMs, maxAgeMs }: AgeBarProps) {
  if (maxAgeMs === undefined || maxAgeMs === null) {
    const age = ageMs === null ? 'age unknown' : ago(ageMs);
    return <p class="age">{maxAgeMs === null ? `${age} · no age limit` : age}</p>;
  }
  if (ageMs === null) return <p class="age over">age unknown · at most {inWords(maxAgeMs)}</p>;
  const isOver = ageMs > maxAgeMs;
  const end = Math.max(ageMs, maxAgeMs);
  return (
    <div class="age">
      <svg
        class={`age-bar${isOver ? ' over' : ''}`}
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <rect class="rail" width="100" height="6" />
        <rect class="fill" width={(100 * Math.max(0, ageMs)) / end} height="6" />
        {isOver && <rect class="limit" x={Math.max(0, (100 * maxAgeMs) / end - 1)} width="1.5" height="6" />}
      </svg>
      <p>
        {ago(ageMs)} · {isOver ? 'limit was' : 'good for'} {inWords(maxAgeMs)}
      </p>
    </div>
  );
}
