/** The end of several reviews decided at once: how many, how much together, and on to the next one. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { RevealedText } from '../../components/text.tsx';
import { href } from '../../state/route.ts';
import type { ShownReview } from './batch-columns.ts';
import { momentInWords } from './batch-words.ts';
import { NextReview } from './next-review.tsx';

export function BatchMoment({
  decided,
  verdict,
  isOver,
}: {
  readonly decided: readonly ShownReview[];
  readonly verdict: 'approve' | 'reject';
  /** Whether nothing more of the batch can be approved here; only then it leads on. */
  readonly isOver: boolean;
}) {
  const isApproved = verdict === 'approve';
  const head = useRef<HTMLHeadingElement>(null);
  // The button that was pressed stood at the bottom. The link to the next review may take the focus after this.
  useLayoutEffect(() => {
    head.current?.focus();
    window.scrollTo({ top: 0 });
  }, []);
  return (
    <section
      class={`caught-moment is-new ${isApproved ? 'allow' : 'block'}`}
      aria-labelledby="batch-moment"
      role="status"
    >
      <svg class="stamp" viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">
        <circle cx="24" cy="24" r="21" />
        <path d={isApproved ? 'M14 25l7 7 13-15' : 'M15 15l18 18M33 15L15 33'} />
      </svg>
      <div class="lines">
        <h2 ref={head} id="batch-moment" tabIndex={-1}>
          <RevealedText text={momentInWords(decided, verdict)} />
        </h2>
        <p class="quiet">
          {isApproved
            ? 'The agent can make each of them once, when it checks again with the approval.'
            : `The agent may not make ${decided.length === 1 ? 'it' : 'them'}, and can read your comment.`}
        </p>
      </div>
      {isOver && (
        <div class="row">
          <NextReview after={decided.map(({ review }) => review.id)} isFocused />
          <a class="button" href={href('/reviews')}>
            Inbox
          </a>
        </div>
      )}
    </section>
  );
}
