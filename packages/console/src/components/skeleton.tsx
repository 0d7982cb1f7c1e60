/** Grey lines in the place of content that is still loading. */

const LINES_DEFAULT = 4;

export function Skeleton({ lines = LINES_DEFAULT }: { readonly lines?: number | undefined }) {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">Loading …</span>
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} class="bone" aria-hidden="true" />
      ))}
    </div>
  );
}
