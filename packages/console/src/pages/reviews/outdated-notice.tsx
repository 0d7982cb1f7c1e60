/** In the inbox, for the day: a change of policy closed reviews, and their agents must ask again. */
import type { Review } from '@writecheck/api';
import { useMemo } from 'preact/hooks';
import { listRevisions } from '../../calls/policies.ts';
import { listReviews } from '../../calls/reviews.ts';
import { shortMoment } from '../../components/moment.tsx';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';

const LOOKED_THROUGH = '200';

/** `open`: a review that was asked for again needs no mention. Nothing if a policy closed none today. */
export function OutdatedNotice({ open }: { readonly open: readonly Review[] }) {
  const cancelled = useLoad(`outdated ${open.length}`, (signal) =>
    listReviews({ state: 'cancelled', limit: LOOKED_THROUGH }, signal),
  ).value;
  const closed = useMemo(
    () => closedByPolicy(cancelled?.reviews ?? [], open, new Date()),
    [cancelled, open.length],
  );
  return closed.length === 0 ? null : <Notice closed={closed} />;
}

function Notice({ closed }: { readonly closed: readonly Review[] }) {
  // Newest first. What a read notices is closed then, so the first of them is nearest to the change.
  const at = closed.at(-1)!.resolvedAt!;
  const { value } = useLoad('revisions', listRevisions);
  const revision = value?.revisions.find(({ createdAt }) => createdAt <= at)?.revision;
  return (
    <p class="note note-care" role="status">
      {closed.length === 1 ? '1 review' : `${closed.length} reviews`} closed at {shortMoment(new Date(at))}:{' '}
      {revision === undefined ? 'the policy' : `revision ${revision}`} changed how they are approved. Their
      agents must ask again. <a href={href('/reviews', { show: 'closed', outcome: 'outdated' })}>Show them</a>
    </p>
  );
}

function closedByPolicy(cancelled: readonly Review[], open: readonly Review[], now: Date): readonly Review[] {
  const askedAgain = new Set(open.map(({ intentDigest }) => intentDigest));
  return cancelled.filter(
    ({ because, resolvedAt, intentDigest }) =>
      because === 'outdated' &&
      resolvedAt !== null &&
      new Date(resolvedAt).toDateString() === now.toDateString() &&
      !askedAgain.has(intentDigest),
  );
}
