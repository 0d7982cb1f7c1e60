/** In the inbox, for the day: changes of policy closed reviews, and their agents must ask again. */

import type { Review } from '@writecheck/api';
import { useMemo, useState } from 'preact/hooks';
import { listRevisions } from '../../calls/policies.ts';
import { listReviews } from '../../calls/reviews.ts';
import { counted } from '../../components/counted.ts';
import { shortMoment } from '../../components/moment.tsx';
import { keptForTab } from '../../state/kept.ts';
import { href } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';
import { type ClosedBy, closedByRevision } from './outdated-reviews.ts';

const LOOKED_THROUGH = '200';
const DISMISSED = 'writecheck.outdated-dismissed';

/** `open`: a review that was asked for again needs no mention. Nothing if a policy closed none today. */
export function OutdatedNotice({ open }: { readonly open: readonly Review[] }) {
  const cancelled = useLoad(`outdated ${open.length}`, (signal) =>
    listReviews({ state: 'cancelled', limit: LOOKED_THROUGH }, signal),
  ).value;
  const closed = useMemo(
    () => closedByPolicy(cancelled?.reviews ?? [], open, new Date()),
    [cancelled, open.length],
  );
  const [seenUntil, setSeenUntil] = useState(keptForTab.get(DISMISSED) ?? '');
  const unseen = closed.filter(({ resolvedAt }) => resolvedAt! > seenUntil);
  const dismiss = () => {
    const last = unseen
      .map(({ resolvedAt }) => resolvedAt!)
      .sort()
      .at(-1)!;
    keptForTab.set(DISMISSED, last);
    setSeenUntil(last);
  };
  return unseen.length === 0 ? null : <Notice closed={unseen} onDismiss={dismiss} />;
}

function Notice({
  closed,
  onDismiss,
}: {
  readonly closed: readonly Review[];
  readonly onDismiss: () => void;
}) {
  const { value } = useLoad('revisions', listRevisions);
  return (
    <div class="note note-care row" role="status">
      <div>
        {closedByRevision(closed, value?.revisions ?? []).map((group) => (
          <p key={group.revision}>{inWords(group)}</p>
        ))}
        <p>
          Their agents must ask again.{' '}
          <a href={href('/reviews', { show: 'closed', outcome: 'outdated' })}>Show them</a>
        </p>
      </div>
      <button type="button" class="small" onClick={onDismiss}>
        Dismiss
      </button>
    </div>
  );
}

function inWords({ revision, at, count }: ClosedBy): string {
  const by = revision === null ? 'the policy' : `revision ${revision}`;
  return `${counted(count, 'review')} closed at ${shortMoment(new Date(at))}: ${by} changed how ${count === 1 ? 'it is' : 'they are'} approved.`;
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
