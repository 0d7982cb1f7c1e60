/** The age of evidence against the maximum its control allows. */
import { Meter } from '../components/meter.tsx';
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
      <Meter
        parts={[[isOver ? 'pause' : 'allow', (100 * Math.max(0, ageMs)) / end]]}
        limit={isOver ? Math.max(0, (100 * maxAgeMs) / end - 1) : undefined}
      />
      <p>
        {aged(ageMs)} · {isThen ? 'limit' : isOver ? 'limit was' : 'valid for'} {inWords(maxAgeMs)}
      </p>
    </div>
  );
}

function then(ageMs: number): string {
  return ageMs < 0 ? `${inWords(ageMs)} ahead then` : `${inWords(ageMs)} old then`;
}
