/** Moves through the pages of a list; nothing if there is only one. */

/** An address or an act. Null at the end of the list; undefined if the end has no button. */
type Step = string | (() => void) | null | undefined;

export function Pager({
  previous,
  next,
  isBusy = false,
  label = 'List pages',
  words = ['Newer', 'Older'],
  children,
}: {
  readonly previous: Step;
  readonly next: Step;
  readonly isBusy?: boolean;
  readonly label?: string;
  readonly words?: readonly [previous: string, next: string];
  /** Which page it is. */
  readonly children: preact.ComponentChildren;
}) {
  if (next == null && previous == null) return null;
  return (
    <nav class="pager" aria-label={label}>
      <Button step={previous} isBusy={isBusy} word={words[0]} />
      <span class="quiet">{children}</span>
      <Button step={next} isBusy={isBusy} word={words[1]} />
    </nav>
  );
}

function Button({
  step,
  isBusy,
  word,
}: {
  readonly step: Step;
  readonly isBusy: boolean;
  readonly word: string;
}) {
  if (step === undefined) return null;
  if (typeof step === 'string')
    return (
      <a class="button" href={step}>
        {word}
      </a>
    );
  return (
    <button type="button" disabled={step === null || isBusy} onClick={() => step?.()}>
      {word}
    </button>
  );
}
