/** Says before a bundle is applied how many reviews it closes, because their reviewers learn of it only from an empty inbox. */

import type { Review } from '@writecheck/api';
import { listAll } from '../../calls/reviews.ts';
import { counted } from '../../components/counted.ts';
import { useLoad } from '../../use-load.ts';

/** As many open reviews as a workspace can have. */
const LISTED_MAX = 1_000;

/** Nothing if no review or approval stops counting. */
export function OutdatedReviews({ controls }: { readonly controls: readonly string[] }) {
  return controls.length === 0 ? null : <Counted key={controls.join(' ')} controls={controls} />;
}

function Counted({ controls }: { readonly controls: readonly string[] }) {
  const open = useLoad('open', (signal) => listAll({ state: 'open' }, LISTED_MAX, signal));
  const approved = useLoad('approved', (signal) => listAll({ state: 'approved' }, LISTED_MAX, signal));
  const isHit = (review: Review) => review.controls.some(({ controlId }) => controls.includes(controlId));
  const closed = open.value?.reviews.filter(isHit).length ?? 0;
  // One that is used or void already loses nothing.
  const voided =
    approved.value?.reviews.filter((review) => isHit(review) && review.because === undefined).length ?? 0;
  if (closed + voided === 0) return null;
  const parts = [
    ...(closed === 0 ? [] : [`closes ${counted(closed, 'open review')}`]),
    ...(voided === 0 ? [] : [`voids ${counted(voided, 'unused approval')}`]),
  ];
  return (
    <p class="note note-care" role="status">
      <strong>This {parts.join(' and ')}.</strong> Their review rule changes, so agents must check again.
    </p>
  );
}
