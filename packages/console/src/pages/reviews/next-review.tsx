/** Leads from a decided review to one that still waits: the next of the list, or else the next of the inbox. */
import { useEffect, useRef } from 'preact/hooks';
import { listReviews } from '../../calls/reviews.ts';
import { countInWords, useOpenReviews } from '../../open-reviews.ts';
import { useNextAfter } from '../../state/inbox-order.ts';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';

/** Nothing if no review waits. `isFocused`: Enter leads on, and the reviewer's hands stay where they are. */
export function NextReview({
  after,
  isFocused,
}: {
  /** Those that were decided. */
  readonly after: readonly string[];
  readonly isFocused: boolean;
}) {
  const listed = useNextAfter(after);
  const waiting = useLoad(`next after ${after.join()}`, (signal) =>
    // Some may be these, if the list is older than their verdicts.
    listReviews({ state: 'open', for: 'me', limit: String(after.length + 1) }, signal),
  );
  const next = listed ?? waiting.value?.reviews.find(({ id }) => !after.includes(id))?.id ?? null;
  const open = countInWords(useOpenReviews());
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isFocused) link.current?.focus({ preventScroll: true });
  }, [isFocused, next]);
  if (next === null) return null;
  return (
    <a ref={link} class="button primary" href={href(`/reviews/${next}`)}>
      Next review{open !== null && ` (${open})`}
    </a>
  );
}
