/** The shares of allowed, paused and blocked writes as one bar; the table beside it has the figures. */

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
  let left = 0;
  return (
    <svg class="outcome-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect class="rail" width="100" height="8" />
      {(
        [
          ['block', block],
          ['pause', pause],
          ['allow', allow],
        ] as const
      ).map(([decision, count]) => {
        const width = (100 * count) / whole;
        const x = left;
        left += width;
        return <rect key={decision} class={decision} x={x} width={width} height="8" />;
      })}
    </svg>
  );
}
