/** The shares of allowed, paused and blocked writes as one bar; the table beside it has the figures. */
import { Meter } from '../meter.tsx';

export function OutcomeBar({
  checks,
  pause,
  block,
}: {
  readonly checks: number;
  readonly pause: number;
  readonly block: number;
}) {
  const allow = Math.max(0, checks - pause - block);
  const whole = Math.max(1, allow + pause + block);
  return (
    <Meter
      parts={[
        ['block', (100 * block) / whole],
        ['pause', (100 * pause) / whole],
        ['allow', (100 * allow) / whole],
      ]}
    />
  );
}
