/** The review inbox: open reviews, soonest to expire first, then those closed lately. */
import { useEffect, useState } from 'preact/hooks';
import { ClockNote } from '../components/clock-note.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { openReviews } from '../open-reviews.ts';
import { href } from '../state/route.ts';
import { useLoad } from '../use-load.ts';
import { useEvery } from './decisions-parts/use-decision-pages.ts';
import { ReviewTable } from './reviews-parts/review-table.tsx';
import { listClosed, listReviews } from './reviews-parts/reviews-api.ts';
import './pieces.css';
import './decisions-parts/decisions.css';
import './reviews-parts/reviews.css';

const LIVE_EVERY_MS = 2_000;
const CLOSED_EVERY_MS = 10_000;
const PAGE_SIZE = 50;
const PAGE_MAX = 200;
const CLOSED_SHOWN = 10;

export default function Reviews() {
  const [limit, setLimit] = useState(PAGE_SIZE);
  const open = useLoad(`open reviews ${limit}`, (signal) =>
    listReviews({ state: 'open', limit: String(limit) }, signal),
  );
  // A review that leaves the open list has been closed.
  const openIds = (open.value?.reviews ?? []).map(({ id }) => id).join(' ');
  const closed = useLoad('closed reviews', (signal) => listClosed(CLOSED_SHOWN, signal));
  useEvery(LIVE_EVERY_MS, !open.isLoading, open.reload);
  useEvery(CLOSED_EVERY_MS, !closed.isLoading, closed.reload);
  useEffect(() => closed.reload(), [openIds, closed.reload]);
  const { value } = open;
  useEffect(() => {
    if (value !== null) openReviews.set({ count: value.reviews.length, areMore: value.nextCursor !== null });
  }, [value]);
  return (
    <div class="page">
      <div class="lead">
        <h1>Reviews</h1>
        <p class="quiet">Writes that agents may make once a person approves them. Soonest to expire first.</p>
      </div>
      <ClockNote />
      {open.failure !== null && <ErrorNote failure={open.failure} onRetry={open.reload} />}
      {value === null ? (
        open.failure === null && <p class="quiet">Loading …</p>
      ) : value.reviews.length === 0 ? (
        <div class="empty">
          <p>
            <strong>No open reviews</strong>
          </p>
          <p class="quiet">
            Agents open reviews when a write pauses. You can open one from a{' '}
            <a href={href('/waiting')}>paused write</a>.
          </p>
        </div>
      ) : (
        <>
          <ReviewTable reviews={value.reviews} caption="Open reviews" areOpen />
          {value.nextCursor !== null && limit < PAGE_MAX && (
            <p>
              <button type="button" onClick={() => setLimit(PAGE_MAX)}>
                Show more
              </button>
            </p>
          )}
        </>
      )}
      <h2>Recently closed</h2>
      {closed.failure !== null && <ErrorNote failure={closed.failure} onRetry={closed.reload} />}
      {closed.value === null ? (
        closed.failure === null && <p class="quiet">Loading …</p>
      ) : closed.value.length === 0 ? (
        <p class="quiet">None yet.</p>
      ) : (
        <ReviewTable reviews={closed.value} caption="Recently closed reviews" areOpen={false} />
      )}
    </div>
  );
}
