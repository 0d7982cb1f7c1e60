/** The review inbox: what waits for the user, soonest to expire first; apart from it, what waits for others. */
import type { Review } from '@writecheck/api';
import { useEffect, useRef } from 'preact/hooks';
import { ClockNote } from '../components/clock-note.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { countInWords, openReviews, useOpenReviews } from '../open-reviews.ts';
import { noteInboxOrder } from '../state/inbox-order.ts';
import { noteList } from '../state/last-list.ts';
import { useRight } from '../state/rights.ts';
import { href, usePlace } from '../state/route.ts';
import { type Load, useLoad } from '../use-load.ts';
import { useEvery } from './decisions-parts/use-decision-pages.ts';
import { ReviewTable } from './reviews-parts/review-table.tsx';
import { listAll, listClosed, listOthers, type ReviewPage } from './reviews-parts/reviews-api.ts';
import { type Picking, usePicking } from './reviews-parts/select-reviews.ts';
import './pieces.css';
import './decisions-parts/decisions.css';
import './reviews-parts/reviews.css';

const LIVE_EVERY_MS = 2_000;
const OTHERS_EVERY_MS = 10_000;
/** A page of the list; more rows would take too long to draw. */
const SHOWN = 30;

const TABS = [
  { name: '', label: 'For you' },
  { name: 'others', label: 'For others' },
  { name: 'closed', label: 'Closed' },
] as const;

type Tab = (typeof TABS)[number]['name'];

export default function Reviews() {
  const { query } = usePlace();
  const tab = TABS.find(({ name }) => name === query.get('show')) ?? TABS[0];
  const page = Math.max(1, Math.trunc(Number(query.get('page'))) || 1);
  const mineShown = tab.name === '' ? page * SHOWN : SHOWN;
  const mine = useKept(
    useLoad(`mine ${mineShown}`, (signal) => listAll({ state: 'open', for: 'me' }, mineShown, signal)),
  );
  const othersShown = tab.name === 'others' ? page * SHOWN : 0;
  const others = useKept(useLoad(`others ${othersShown}`, (signal) => listOthers(othersShown + 1, signal)));
  useEvery(LIVE_EVERY_MS, !mine.isLoading, mine.reload);
  useEvery(OTHERS_EVERY_MS, !others.isLoading, others.reload);
  const ids = (mine.value?.reviews ?? []).map(({ id }) => id).join(' ');
  // A review that leaves the list was decided, or is now for somebody else.
  useEffect(() => others.reload(), [ids, others.reload]);
  useEffect(() => noteList('Inbox'), [tab, page]);
  useEffect(() => {
    if (mine.value === null) return;
    noteInboxOrder(ids === '' ? [] : ids.split(' '));
    const { reviews, nextCursor } = mine.value;
    if (nextCursor === null || reviews.length > (openReviews.get()?.count ?? 0))
      openReviews.set({ count: reviews.length, areMore: nextCursor !== null });
  }, [ids, mine.value]);
  const counts: { readonly [name in Tab]: string | null } = {
    '': countInWords(useOpenReviews()),
    others: others.value === null ? null : othersInWords(others.value),
    closed: null,
  };
  return (
    <div class="page">
      <div class="lead">
        <h1>Inbox</h1>
        <p class="quiet">Writes that agents may make once a person approves them.</p>
      </div>
      <nav class="tabs" aria-label="Inbox">
        <ul>
          {TABS.map(({ name, label }) => (
            <li key={name}>
              <a
                href={href('/reviews', { show: name })}
                aria-current={name === tab.name ? 'page' : undefined}
              >
                {label}
                {counts[name] !== null && <span class="quiet"> {counts[name]}</span>}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <ClockNote />
      {tab.name === '' && <Mine load={mine} page={page} others={counts.others} />}
      {tab.name === 'others' && <Others load={others} page={page} />}
      {tab.name === 'closed' && <Closed page={page} />}
    </div>
  );
}

function othersInWords({ reviews, nextCursor }: ReviewPage): string | null {
  return countInWords({ count: reviews.length, areMore: nextCursor !== null });
}

/** Keeps the last value while another page of the list loads. */
function useKept<T>(load: Load<T>): Load<T> {
  const kept = useRef<T | null>(null);
  if (load.value !== null) kept.current = load.value;
  return { ...load, value: kept.current };
}

/** The rows of one page of a list that is read from its beginning; of the last page if that is an earlier one. */
function rowsOf(reviews: readonly Review[], page: number): readonly Review[] {
  const shown = Math.min(page, Math.max(1, Math.ceil(reviews.length / SHOWN)));
  return reviews.slice((shown - 1) * SHOWN, shown * SHOWN);
}

function Pager({
  tab,
  page,
  areMore,
}: {
  readonly tab: Tab;
  readonly page: number;
  readonly areMore: boolean;
}) {
  if (page === 1 && !areMore) return null;
  const to = (number: number) => href('/reviews', { show: tab, page: number === 1 ? '' : String(number) });
  return (
    <nav class="pager" aria-label="List pages">
      {page > 1 && (
        <a class="button" href={to(page - 1)}>
          Previous
        </a>
      )}
      <span class="quiet">Page {page}</span>
      {areMore && (
        <a class="button" href={to(page + 1)}>
          Next
        </a>
      )}
    </nav>
  );
}

interface ListProps {
  readonly load: Load<ReviewPage>;
  readonly page: number;
}

function Mine({ load, page, others }: ListProps & { readonly others: string | null }) {
  const { value, failure, reload } = load;
  const rows = rowsOf(value?.reviews ?? [], page);
  const picking = usePicking(rows);
  const mayOpen = useRight('openReview');
  if (value === null)
    return failure === null ? <Skeleton lines={8} /> : <ErrorNote failure={failure} onRetry={reload} />;
  const areMore = value.nextCursor !== null || value.reviews.length > page * SHOWN;
  return (
    <>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {rows.length === 0 ? (
        <div class="empty">
          <p>
            <strong>You’re all caught up</strong>
          </p>
          <p class="quiet">
            {others !== null && (
              <>
                <a href={href('/reviews', { show: 'others' })}>
                  {others === '1' ? '1 review waits' : `${others} reviews wait`} for others
                </a>
                .{' '}
              </>
            )}
            Agents open reviews when a write pauses.
            {mayOpen && (
              <>
                {' '}
                You can open one from a <a href={href('/waiting')}>paused write</a>.
              </>
            )}
          </p>
        </div>
      ) : (
        <>
          <ReviewTable
            reviews={rows}
            caption="Open reviews"
            kind="mine"
            picking={rows.length > 1 ? picking : undefined}
          />
          <Picked picking={picking} />
          <p class="quiet small-text wide-only">
            <kbd>j</kbd> <kbd>k</kbd> or arrow keys move, <kbd>Enter</kbd> opens, <kbd>x</kbd> selects.
          </p>
        </>
      )}
      <Pager tab="" page={page} areMore={areMore} />
    </>
  );
}

/** Leads to a page that shows every selected write in full; nothing is approved from the list. */
function Picked({ picking: { picked } }: { readonly picking: Picking }) {
  if (picked.size === 0) return null;
  const ids = [...picked];
  return (
    <div class="card picked" role="status">
      <div class="row">
        <span>{ids.length === 1 ? '1 write selected' : `${ids.length} writes selected`}</span>
        <a class="button primary" href={href('/reviews/together', { ids: ids.join(',') })}>
          {ids.length === 1 ? 'Review it' : 'Review them together'}
        </a>
      </div>
    </div>
  );
}

function Others({ load, page }: ListProps) {
  const { value, failure, reload } = load;
  if (value === null)
    return failure === null ? <Skeleton lines={8} /> : <ErrorNote failure={failure} onRetry={reload} />;
  const rows = rowsOf(value.reviews, page);
  if (rows.length === 0)
    return (
      <div class="empty">
        <p>
          <strong>Nothing waits for others</strong>
        </p>
        <p class="quiet">You can decide every open review, or there is none.</p>
      </div>
    );
  return (
    <>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      <ReviewTable reviews={rows} caption="Open reviews for others" kind="others" />
      <Pager tab="others" page={page} areMore={value.reviews.length > page * SHOWN} />
    </>
  );
}

function Closed({ page }: { readonly page: number }) {
  const { value, failure, isLoading, reload } = useKept(
    useLoad(`closed ${page}`, (signal) => listClosed(page * SHOWN + 1, signal)),
  );
  useEvery(OTHERS_EVERY_MS, !isLoading && page === 1, reload);
  if (value === null)
    return failure === null ? <Skeleton lines={8} /> : <ErrorNote failure={failure} onRetry={reload} />;
  return value.length === 0 ? (
    <div class="empty">
      <p>
        <strong>No closed reviews yet</strong>
      </p>
      <p class="quiet">Decided, expired and cancelled reviews are listed here.</p>
    </div>
  ) : (
    <>
      <ReviewTable reviews={rowsOf(value, page)} caption="Recently closed reviews" kind="closed" />
      <Pager tab="closed" page={page} areMore={value.length > page * SHOWN} />
    </>
  );
}
