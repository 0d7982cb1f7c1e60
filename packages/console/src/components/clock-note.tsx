/** Warns if this computer's clock differs from the service's. */
import { inWords } from '../picture/durations.ts';
import { useServiceAheadMs } from '../state/service-clock.ts';

export function ClockNote() {
  const aheadMs = useServiceAheadMs();
  if (aheadMs === 0) return null;
  return (
    <p class="note note-warn" role="status">
      This computer’s clock is {inWords(Math.abs(aheadMs))} {aheadMs > 0 ? 'behind' : 'ahead of'} the
      service’s. Times and ages here use the service’s clock.
    </p>
  );
}
