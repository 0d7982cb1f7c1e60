/** The age of evidence against the maximum its control allows. */
import { ago, inWords } from './durations.ts';

interface AgeBarProps {
  /** Null if unknown. */
  readonly ageMs: number | null;
  /** Null if the control has no limit, undefined if that is unknown. */
  readonly maxAgeMs: number | null | undefined;
  /** Whether the age is that at a decision of the past, and not the age now. */
  readonly isThen: boolean;
}

/** Past the limit the bar is full, and the limit's mark moves back to show by how much. */
export function AgeBar({ ageMs, maxAgeMs, isThen }: AgeBarProps) {
  const aged = isThen ? then : ago;
  if (maxAgeMs === undefined || maxAgeMs === null) {
    const age = ageMs === null ? 'age unknown' : aged(ageMs);
    return <p class="age">{maxAgeMs === null ? `${age} · no age limit` : age}</p>;
  }
  if (ageMs === null) return <p class="age over">age unknown · limit {inWords(maxAgeMs)}</p>;
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
        {aged(ageMs)} · {isThen ? 'limit' : isOver ? 'limit was' : 'valid for'} {inWords(maxAgeMs)}
      </p>
    </div>
  );
}

function then(ageMs: number): string {
  return ageMs < 0 ? `${inWords(ageMs)} ahead then` : `${inWords(ageMs)} old then`;
}
