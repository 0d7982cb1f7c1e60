/** Moves through the pages of a list; nothing if there is only one. */
export function Pager({
  previous,
  next,
  isBusy = false,
  label = 'List pages',
  words = ['Newer', 'Older'],
  children,
}: {
  /** Null at the first page. */
  readonly previous: (() => void) | null;
  /** Null at the last page. */
  readonly next: (() => void) | null;
  readonly isBusy?: boolean;
  readonly label?: string;
  readonly words?: readonly [previous: string, next: string];
  /** Which page it is. */
  readonly children: preact.ComponentChildren;
}) {
  if (next === null && previous === null) return null;
  return (
    <nav class="pager" aria-label={label}>
      <button type="button" disabled={previous === null || isBusy} onClick={() => previous?.()}>
        {words[0]}
      </button>
      <span class="quiet">{children}</span>
      <button type="button" disabled={next === null || isBusy} onClick={() => next?.()}>
        {words[1]}
      </button>
    </nav>
  );
}
