/** Says so where this computer's clock and the service's differ. */
import { inWords } from '../picture/durations.ts';
import { useServiceAheadMs } from '../state/service-clock.ts';

export function ClockNote() {
  const aheadMs = useServiceAheadMs();
  if (aheadMs === 0) return null;
  return (
    <p class="note note-warn" role="status">
      This computer’s clock is {inWords(Math.abs(aheadMs))} {aheadMs > 0 ? 'behind' : 'ahead of'} the
      service’s. Stretches of time and ages are counted by the service’s.
    </p>
  );
}
