/** Allow, pause or block, shown by word, shape and colour, never by colour alone. */
import type { Decision } from '@writecheck/contract';

const SHAPES: { readonly [decision in Decision]: string } = {
  allow: 'M3.5 8.5l3 3 6-7',
  pause: 'M5.5 4v8M10.5 4v8',
  block: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
};
export const OUTCOMES_IN_WORDS: { readonly [decision in Decision]: string } = {
  allow: 'Allowed',
  pause: 'Paused',
  block: 'Blocked',
};

export function DecisionBadge({
  decision,
  large,
}: {
  readonly decision: Decision;
  readonly large?: boolean;
}) {
  return (
    <span class={`badge ${decision}${large ? ' large' : ''}`}>
      <DecisionGlyph decision={decision} />
      {OUTCOMES_IN_WORDS[decision]}
    </span>
  );
}

export function DecisionGlyph({ decision }: { readonly decision: Decision }) {
  return (
    <svg class="glyph" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={SHAPES[decision]} />
    </svg>
  );
}
