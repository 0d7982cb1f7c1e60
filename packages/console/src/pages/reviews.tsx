/** The review inbox: what waits for the user, dangerous writes first; apart from it, what waits for others. */
import type { Review } from '@writecheck/api';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { ClockNote } from '../components/clock-note.tsx';
import type { Sorting } from '../components/data-table.tsx';
import { Empty } from '../components/empty.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { countInWords, noteOpenReviews, useOpenReviews } from '../open-reviews.ts';
import { noteInboxOrder } from '../state/inbox-order.ts';
import { noteList } from '../state/last-list.ts';
import { useRight } from '../state/rights.ts';
import { href, replacePlace, usePlace } from '../state/route.ts';
import { useSession } from '../state/session.ts';
import { type Load, useLoad } from '../use-load.ts';
import { useEvery } from './decisions-parts/use-decision-pages.ts';
import { InboxFilters } from './reviews-parts/inbox-filters.tsx';
import { NotifyButton } from './reviews-parts/notify-button.tsx';
import { ReviewTable } from './reviews-parts/review-table.tsx';
import {
  listAll,
  listClosed,
  listDecided,
  listOthers,
  type ReviewPage,
} from './reviews-parts/reviews-api.ts';
import { type Picking, usePicking } from './reviews-parts/select-reviews.ts';
import {
  conflictingIn,
  isNarrow,
  type Narrowing,
  narrowed,
  narrowingOf,
  placeInWords,
} from './reviews-parts/sort-reviews.ts';
import { useJudged } from './reviews-parts/use-judged.ts';
import '../style/pieces.css';
import './decisions-parts/decisions.css';
import './reviews-parts/reviews.css';

const OTHERS_EVERY_MS = 10_000;
/** A page of the list; more rows would take too long to draw. */
const SHOWN = 30;
/** As many open reviews as a workspace can have. */
const OPEN_MAX = 1_000;
/** Of those decided last, enough for a reviewer's day. */
const DECIDED_MAX = 200;

const TABS = [
  { name: '', label: 'For you' },
  { name: 'others', label: 'For others' },
  { name: 'done', label: 'Done by you today' },
  { name: 'closed', label: 'Closed' },
] as const;

type Tab = (typeof TABS)[number]['name'];

export default function Reviews() {
  const { query } = usePlace();
  const tab = TABS.find(({ name }) => name === query.get('show')) ?? TABS[0];
  const page = Math.max(1, Math.trunc(Number(query.get('page'))) || 1);
  const mine = useKept(useLoad('mine', (signal) => listAll({ state: 'open', for: 'me' }, OPEN_MAX, signal)));
  const othersShown = tab.name === 'others' ? page * SHOWN : 0;
  const others = useKept(useLoad(`others ${othersShown}`, (signal) => listOthers(othersShown + 1, signal)));
  useEvery(everyMs(mine.value?.reviews.length ?? 0), !mine.isLoading, mine.reload);
  useEvery(OTHERS_EVERY_MS, !others.isLoading, others.reload);
  const ids = (mine.value?.reviews ?? []).map(({ id }) => id).join(' ');
  const seen = useRef<string | null>(null);
  useEffect(() => {
    // A review that leaves the list was decided, or is now for somebody else.
    if (seen.current !== null && seen.current !== ids) others.reload();
    if (mine.value !== null) seen.current = ids;
  }, [ids, mine.value, others.reload]);
  useEffect(() => noteList('Inbox'), [tab, page, query]);
  useEffect(() => {
    if (mine.value === null) return;
    const { reviews, nextCursor } = mine.value;
    noteOpenReviews(reviews.length, nextCursor !== null);
  }, [ids, mine.value]);
  const badge = useOpenReviews();
  const counts: { readonly [name in Tab]: string | null } = {
    '': mine.value === null ? countInWords(badge) : inWords(mine.value),
    others: others.value === null ? null : inWords(others.value),
    done: null,
    closed: null,
  };
  return (
    <div class="page">
      <div class="row title-row">
        <div class="lead">
          <h1>Inbox</h1>
          <p class="quiet">Writes that agents may make once a person approves them.</p>
        </div>
        <NotifyButton />
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
      {tab.name === '' && (
        <Mine load={mine} page={page} others={counts.others} narrowing={narrowingOf(query)} />
      )}
      {tab.name === 'others' && <Others load={others} page={page} />}
      {tab.name === 'done' && <Done page={page} />}
      {tab.name === 'closed' && <Closed page={page} />}
    </div>
  );
}

/** Live for everyday queues; a long one costs more to read, and nobody sees its end change. */
function everyMs(count: number): number {
  if (count <= 60) return 2_000;
  return count <= 200 ? 5_000 : 15_000;
}

function inWords({ reviews, nextCursor }: ReviewPage): string | null {
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
  page,
  count,
  isTotal,
}: {
  readonly page: number;
  /** How many are known, which may be all of them. */
  readonly count: number;
  readonly isTotal: boolean;
}) {
  const { query } = usePlace();
  const areMore = count > page * SHOWN;
  if (page === 1 && !areMore) return null;
  const to = (number: number) =>
    href('/reviews', { ...Object.fromEntries(query), page: number === 1 ? '' : String(number) });
  return (
    <nav class="pager" aria-label="List pages">
      {page > 1 && (
        <a class="button" href={to(page - 1)}>
          Previous
        </a>
      )}
      <span class="quiet">{placeInWords(page, SHOWN, count, isTotal)}</span>
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

/** Below this many, filters cost more than they save. */
const FILTERED_FROM = 6;

function Mine({
  load,
  page,
  others,
  narrowing,
}: ListProps & { readonly others: string | null; readonly narrowing: Narrowing }) {
  const { value, failure, reload } = load;
  const all = value?.reviews ?? [];
  const asked = JSON.stringify(narrowing);
  const person = useSession()?.person;
  const rounds = useJudged(value?.reviews ?? null);
  const found = useMemo(() => narrowed(all, narrowing, person), [value, asked, rounds]);
  const conflicting = useMemo(() => conflictingIn(all), [value]);
  const order = found.map(({ id }) => id).join(' ');
  useEffect(() => {
    if (value !== null) noteInboxOrder(order === '' ? [] : order.split(' '));
  }, [value, order]);
  const rows = rowsOf(found, page);
  const picking = usePicking(rows);
  const mayOpen = useRight('openReview');
  // Rows that move right after they appear are clicked by mistake.
  if (value === null || rounds === 0)
    return failure === null ? <Skeleton lines={8} /> : <ErrorNote failure={failure} onRetry={reload} />;
  const sort = ({ by }: Sorting) => {
    const { order: _, ...rest } = narrowing;
    replacePlace('/reviews', { ...rest, order: by });
  };
  return (
    <>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {(all.length >= FILTERED_FROM || isNarrow(narrowing)) && (
        <InboxFilters all={all} shown={found.length} narrowing={narrowing} />
      )}
      {all.length > 0 && found.length === 0 ? (
        <Empty title="No matches">
          <a href={href('/reviews')}>Show all {all.length}</a>
        </Empty>
      ) : rows.length === 0 ? (
        <Empty title="You’re all caught up">
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
              You can open one from a{' '}
              <a href={href('/decisions', { decision: 'pause', time: 'all' })}>paused write</a>.
            </>
          )}
        </Empty>
      ) : (
        <>
          <ReviewTable
            reviews={rows}
            caption="Open reviews"
            kind="mine"
            conflicting={conflicting}
            picking={rows.length > 1 ? picking : undefined}
            sorting={{ by: narrowing.order, isReversed: false }}
            onSort={sort}
          />
          <Picked picking={picking} />
          <p class="quiet small-text wide-only">
            <kbd>j</kbd> <kbd>k</kbd> or arrow keys move, <kbd>Enter</kbd> opens, <kbd>x</kbd> selects,{' '}
            <kbd>/</kbd> searches.
          </p>
        </>
      )}
      <Pager page={page} count={found.length} isTotal={value.nextCursor === null} />
    </>
  );
}

/** Leads to a page that shows every selected write; nothing is approved from the list. */
function Picked({ picking: { picked, alike, pickAlike } }: { readonly picking: Picking }) {
  if (picked.size === 0) return null;
  const ids = [...picked];
  return (
    <div class="card picked" role="status">
      <div class="row">
        <span>{ids.length === 1 ? '1 write selected' : `${ids.length} writes selected`}</span>
        <a class="button primary" href={href('/reviews/together', { ids: ids.join(',') })}>
          {ids.length === 1 ? 'Review it' : 'Review them together'}
        </a>
        {alike > 0 && (
          <button type="button" onClick={pickAlike}>
            Select {alike} more of this kind
          </button>
        )}
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
      <Empty title="Nothing waits for others">You can decide every open review, or there is none.</Empty>
    );
  return (
    <>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      <ReviewTable reviews={rows} caption="Open reviews for others" kind="others" />
      <Pager page={page} count={value.reviews.length} isTotal={value.nextCursor === null} />
    </>
  );
}

function Closed({ page }: { readonly page: number }) {
  const load = useKept(useLoad(`closed ${page}`, (signal) => listClosed(page * SHOWN + 1, signal)));
  return (
    <Past
      load={load}
      page={page}
      caption="Recently closed reviews"
      none="No closed reviews yet"
      what="Decided, expired and cancelled reviews are listed here."
    />
  );
}

/** What the signed-in user decided since midnight. */
function Done({ page }: { readonly page: number }) {
  const person = useSession()?.person;
  const load = useKept(
    useLoad('done', (signal) => {
      const today = new Date().toDateString();
      return listDecided(
        DECIDED_MAX,
        signal,
        ({ by, at }) =>
          new Date(at).toDateString() === today &&
          (person === undefined ? by?.kind === 'owner_key' : by?.id === person.id),
      );
    }),
  );
  return (
    <Past
      load={load}
      page={page}
      caption="Reviews you decided today"
      none="Nothing decided today"
      what="What you approve or reject today is listed here."
    />
  );
}

function Past({
  load: { value, failure, isLoading, reload },
  page,
  caption,
  none,
  what,
}: {
  readonly load: Load<readonly Review[]>;
  readonly page: number;
  readonly caption: string;
  readonly none: string;
  readonly what: string;
}) {
  useEvery(OTHERS_EVERY_MS, !isLoading && page === 1, reload);
  if (value === null)
    return failure === null ? <Skeleton lines={8} /> : <ErrorNote failure={failure} onRetry={reload} />;
  return value.length === 0 ? (
    <Empty title={none}>{what}</Empty>
  ) : (
    <>
      <ReviewTable reviews={rowsOf(value, page)} caption={caption} kind="closed" />
      <Pager page={page} count={value.length} isTotal={value.length <= page * SHOWN} />
    </>
  );
}
