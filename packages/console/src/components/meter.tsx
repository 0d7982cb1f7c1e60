/** A bar of parts, of which each may have the tone of an outcome; what stands beside it says the same. */
export function Meter({
  parts,
  limit,
}: {
  /** In percent, from the left. */
  readonly parts: readonly (readonly [kind: string, width: number])[];
  /** Where a mark stands. */
  readonly limit?: number | undefined;
}) {
  let left = 0;
  return (
    <svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="rail" width="100" height="6" />
      {parts.map(([kind, width]) => {
        left += width;
        return <rect key={kind} class={kind} x={left - width} width={width} height="6" />;
      })}
      {limit !== undefined && <rect class="limit" x={limit} width="1.5" height="6" />}
    </svg>
  );
}
