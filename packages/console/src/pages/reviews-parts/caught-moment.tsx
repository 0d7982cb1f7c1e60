/**
 * The end of an attack: rejected, what it tried to write, who signed, and its proven entry in the log. Right after the
 * verdict the four lines follow each other; later, and for those who want less motion, they simply stand there.
 */
import type { Review } from '@writecheck/api';
import { useEffect, useRef, useState } from 'preact/hooks';
import { RevealedText } from '../../components/revealed-text.tsx';
import { useInboxPlace } from '../../state/inbox-order.ts';
import { href } from '../../state/route.ts';
import { ProvenLine } from './proven-line.tsx';

/** Reviews whose end was shown; coming back to one shows it standing. */
const played = new Set<string>();

export function CaughtMoment({
  review,
  isDecidedHere,
}: {
  readonly review: Review;
  readonly isDecidedHere: boolean;
}) {
  const [isFirst] = useState(() => !played.has(review.id));
  const isNew = isDecidedHere && isFirst;
  const next = useInboxPlace(review.id)?.next ?? null;
  const onward = useRef<HTMLAnchorElement>(null);
  const value = review.intent.agentValue;
  const rejection = review.verdicts.find(({ verdict }) => verdict === 'reject');
  useEffect(() => {
    if (!isNew) return;
    played.add(review.id);
    window.scrollTo({ top: 0 });
    // Enter goes on: the reviewer's hands stay where they are.
    onward.current?.focus({ preventScroll: true });
  }, [isNew]);
  return (
    <section class={isNew ? 'caught-moment is-new' : 'caught-moment'} aria-labelledby="caught-moment">
      <svg class="stamp" viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">
        <circle cx="24" cy="24" r="21" />
        <path d="M15 15l18 18M33 15L15 33" />
      </svg>
      <div class="lines">
        <h2 id="caught-moment">Rejected. The agent may not make this write.</h2>
        {typeof value === 'string' && (
          <p class="struck">
            <RevealedText text={value} isWary />
          </p>
        )}
        {rejection?.identity === 'passkey' && <p>Signed with a passkey.</p>}
        <ProvenLine decisionId={review.decisionId} />
      </div>
      {next !== null && (
        <a ref={onward} class="button primary" href={href(`/reviews/${next}`)}>
          Next review
        </a>
      )}
    </section>
  );
}
