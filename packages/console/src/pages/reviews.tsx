/** The review inbox: what waits for the user, soonest to expire first; apart from it, what waits for others. */
import { useEffect, useState } from 'preact/hooks';
import { ClockNote } from '../components/clock-note.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { openReviews } from '../open-reviews.ts';
import { noteInboxOrder } from '../state/inbox-order.ts';
import { noteList } from '../state/last-list.ts';
import { href, usePlace } from '../state/route.ts';
import { type Load, useLoad } from '../use-load.ts';
import { useEvery } from './decisions-parts/use-decision-pages.ts';
import { ReviewTable } from './reviews-parts/review-table.tsx';
import { listAll, listClosed, type Review, type ReviewPage } from './reviews-parts/reviews-api.ts';
import { type Picking, usePicking } from './reviews-parts/select-reviews.ts';
import './pieces.css';
import './decisions-parts/decisions.css';
import './reviews-parts/reviews.css';

const LIVE_EVERY_MS = 2_000;
const OTHERS_EVERY_MS = 10_000;
const SHOWN_FIRST = 50;
const SHOWN_MORE = 50;
const CLOSED_SHOWN = 50;

const TABS = [
  { name: '', label: 'For you' },
  { name: 'others', label: 'For others' },
  { name: 'closed', label: 'Closed' },
] as const;

export default function Reviews() {
  const { query } = usePlace();
  const tab = TABS.find(({ name }) => name === query.get('show')) ?? TABS[0];
  const [shown, setShown] = useState(SHOWN_FIRST);
  const mine = useLoad(`mine ${shown}`, (signal) => listAll({ state: 'open', for: 'me' }, shown, signal));
  const open = useLoad(`open ${shown}`, (signal) => listAll({ state: 'open' }, shown, signal));
  useEvery(LIVE_EVERY_MS, !mine.isLoading, mine.reload);
  useEvery(OTHERS_EVERY_MS, !open.isLoading, open.reload);
  const mineIds = new Set((mine.value?.reviews ?? []).map(({ id }) => id));
  const ids = [...mineIds].join(' ');
  // A review that leaves the list was decided, or is now for somebody else.
  useEffect(() => open.reload(), [ids, open.reload]);
  useEffect(() => noteList('Inbox'), [tab]);
  useEffect(() => {
    if (mine.value === null) return;
    noteInboxOrder([...mineIds]);
    openReviews.set({ count: mine.value.reviews.length, areMore: mine.value.nextCursor !== null });
  }, [ids, mine.value]);
  const others = (open.value?.reviews ?? []).filter(({ id }) => !mineIds.has(id));
  const counts = { '': mineIds.size, others: others.length, closed: null } as const;
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
                {(counts[name] ?? 0) > 0 && <span class="quiet"> {counts[name]}</span>}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <ClockNote />
      {tab.name === '' && <Mine load={mine} others={others.length} />}
      {tab.name === 'others' && <Others load={open} reviews={others} />}
      {tab.name === 'closed' && <Closed />}
      {tab.name !== 'closed' && (tab.name === '' ? mine : open).value?.nextCursor != null && (
        <p>
          <button type="button" onClick={() => setShown(shown + SHOWN_MORE)}>
            Show more
          </button>
        </p>
      )}
    </div>
  );
}

function Mine({ load, others }: { readonly load: Load<ReviewPage>; readonly others: number }) {
  const { value, failure, reload } = load;
  const picking = usePicking(value?.reviews ?? []);
  if (value === null)
    return failure === null ? <Skeleton lines={8} /> : <ErrorNote failure={failure} onRetry={reload} />;
  return (
    <>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {value.reviews.length === 0 ? (
        <div class="empty">
          <p>
            <strong>You’re all caught up</strong>
          </p>
          <p class="quiet">
            {others > 0 && (
              <>
                <a href={href('/reviews', { show: 'others' })}>
                  {others === 1 ? '1 review waits' : `${others} reviews wait`} for others
                </a>
                .{' '}
              </>
            )}
            Agents open reviews when a write pauses. You can open one from a{' '}
            <a href={href('/waiting')}>paused write</a>.
          </p>
        </div>
      ) : (
        <>
          <ReviewTable
            reviews={value.reviews}
            caption="Open reviews"
            kind="mine"
            picking={value.reviews.length > 1 ? picking : undefined}
          />
          <Picked picking={picking} />
          <p class="quiet small-text wide-only">
            <kbd>j</kbd> <kbd>k</kbd> or arrow keys move, <kbd>Enter</kbd> opens, <kbd>x</kbd> selects.
          </p>
        </>
      )}
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

function Others({ load, reviews }: { readonly load: Load<unknown>; readonly reviews: readonly Review[] }) {
  if (load.value === null)
    return load.failure === null ? (
      <Skeleton lines={8} />
    ) : (
      <ErrorNote failure={load.failure} onRetry={load.reload} />
    );
  if (reviews.length === 0)
    return (
      <div class="empty">
        <p>
          <strong>Nothing waits for others</strong>
        </p>
        <p class="quiet">You can decide every open review, or there is none.</p>
      </div>
    );
  return <ReviewTable reviews={reviews} caption="Open reviews for others" kind="others" />;
}

function Closed() {
  const { value, failure, isLoading, reload } = useLoad('closed reviews', (signal) =>
    listClosed(CLOSED_SHOWN, signal),
  );
  useEvery(OTHERS_EVERY_MS, !isLoading, reload);
  if (value === null)
    return failure === null ? <Skeleton lines={8} /> : <ErrorNote failure={failure} onRetry={reload} />;
  return value.length === 0 ? (
    <p class="quiet">None yet.</p>
  ) : (
    <ReviewTable reviews={value} caption="Recently closed reviews" kind="closed" />
  );
}
