/** What waits for the signed-in user: searched, filtered and sorted over all pages, and selected for one go. */

import type { Review } from '@writecheck/api';
import { useEffect, useMemo } from 'preact/hooks';
import type { ReviewPage } from '../../calls/reviews.ts';
import { counted } from '../../components/counted.ts';
import { sumsOf } from '../../components/decision/said-in-intent.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Choice } from '../../components/field.tsx';
import { FoundText } from '../../components/found-text.ts';
import { Empty, Unloaded } from '../../components/page.tsx';
import { conflictingIn } from '../../components/review/rivals.ts';
import { markedText } from '../../components/search/fits.ts';
import { readTyped } from '../../components/search/typed.ts';
import { REVIEW_WORDS } from '../../components/search/vocabularies.ts';
import { noteInboxOrder } from '../../state/inbox-order.ts';
import { href } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';
import type { Load } from '../../use-load.ts';
import { useFreezesOf } from './frozen-note.tsx';
import { InboxFilters, narrow } from './inbox-filters.tsx';
import { InboxPager, rowsOf } from './inbox-pages.tsx';
import { INBOX_ORDERS, type Ordered, orderedOf, sortingOf } from './order-reviews.ts';
import { OutdatedNotice } from './outdated-notice.tsx';
import { ReviewTable } from './review-table.tsx';
import { type Picking, TOGETHER_MAX, usePicking } from './select-reviews.ts';
import { isNarrow, type Narrowing, narrowed } from './sort-reviews.ts';
import { useScanned } from './use-scanned.ts';

const NOTHING: readonly never[] = [];

export function Mine({
  load: { value, failure, readAt, reload },
  page,
  others,
  isNewcomer,
  narrowing,
}: {
  readonly load: Load<ReviewPage>;
  readonly page: number;
  readonly others: string | null;
  /** Whether a review waits for others because the user's passkey is newer. */
  readonly isNewcomer: boolean;
  readonly narrowing: Narrowing;
}) {
  const all = value?.reviews ?? NOTHING;
  const asked = JSON.stringify(narrowing);
  const rounds = useScanned(value?.reviews ?? null);
  const frozen = useFreezesOf(all);
  const found = useMemo(() => narrowed(all, narrowing, frozen), [value, asked, rounds, frozen]);
  const conflicting = useMemo(() => conflictingIn(all), [value]);
  const order = found.map(({ id }) => id).join(' ');
  useEffect(() => {
    if (value !== null) noteInboxOrder(order === '' ? [] : order.split(' '));
  }, [value, order]);
  const rows = rowsOf(found, page);
  const picking = usePicking(rows, conflicting);
  // Rows that move right after they appear are clicked by mistake.
  if (value === null || rounds === 0) return <Unloaded load={{ failure, reload }} lines={8} />;
  return (
    <>
      <ErrorNote failure={failure} onRetry={reload} readAt={readAt} />
      <OutdatedNotice open={all} />
      {(all.length > 0 || isNarrow(narrowing)) && (
        <InboxFilters
          label="Inbox"
          names={FILTERED_BY}
          all={all}
          narrowing={narrowing}
          found={`${found.length} of ${all.length}`}
        >
          <Choice
            kind="order"
            label="Order"
            isLabelHidden
            value={narrowing.order}
            options={(Object.keys(INBOX_ORDERS) as Ordered[])
              // The heads of the columns turn an order around.
              .filter((order) => !order.startsWith('-') || order === narrowing.order)
              .map((order) => [order, `Order: ${INBOX_ORDERS[order]}`] as const)}
            onChange={(order) => narrow({ ...narrowing, order })}
          />
        </InboxFilters>
      )}
      {all.length > 0 && found.length === 0 ? (
        <Empty title="No matches">
          <a href={href('/reviews')}>Show all {all.length}</a>
        </Empty>
      ) : rows.length === 0 ? (
        <CaughtUp others={others} isNewcomer={isNewcomer} />
      ) : (
        <FoundText.Provider value={markedText(readTyped(narrowing.q, REVIEW_WORDS).words)}>
          <ReviewTable
            reviews={rows}
            caption="Open reviews"
            kind="mine"
            conflicting={conflicting}
            picking={rows.length > 1 ? picking : undefined}
            sorting={sortingOf(narrowing.order)}
            onSort={(sorting) => narrow({ ...narrowing, order: orderedOf(sorting) })}
          />
          <Picked reviews={rows} picking={picking} />
          <p class="quiet small-text wide-only">
            <kbd>j</kbd> <kbd>k</kbd> or arrow keys move, <kbd>Enter</kbd> opens, <kbd>x</kbd> selects,{' '}
            <kbd>/</kbd> searches.
          </p>
        </FoundText.Provider>
      )}
      <InboxPager page={page} count={found.length} isTotal={value.nextCursor === null} />
    </>
  );
}

const FILTERED_BY = ['warning', 'agent', 'control', 'from'] as const;

function CaughtUp({ others, isNewcomer }: { readonly others: string | null; readonly isNewcomer: boolean }) {
  const mayOpen = useRight('openReview');
  return (
    <Empty title="You’re all caught up">
      {others !== null && (
        <>
          <a href={href('/reviews', { show: 'others' })}>
            {others === '1' ? '1 review waits' : `${others} reviews wait`} for others
          </a>
          .{' '}
        </>
      )}
      {isNewcomer
        ? 'Your passkey counts for reviews that are opened from now on.'
        : 'Agents open reviews when a write pauses.'}
      {mayOpen && (
        <>
          {' '}
          You can open one from a{' '}
          <a href={href('/decisions', { decision: 'pause', time: 'all' })}>paused write</a>.
        </>
      )}
    </Empty>
  );
}

/** Leads to a page that shows every selected write; nothing is approved from the list. */
function Picked({
  reviews,
  picking: { picked, alike, suspicious, isLimited, pickAlike, clear },
}: {
  readonly reviews: readonly Review[];
  readonly picking: Picking;
}) {
  if (picked.size === 0) return null;
  const ids = [...picked];
  const { sums } = sumsOf(reviews.filter(({ id }) => picked.has(id)).map(({ intent }) => intent));
  return (
    <div class="card picked" role="status">
      <div class="row">
        <span>
          {counted(ids.length, 'write')} selected
          {sums.length > 0 && (
            <>
              , <strong>{sums.join(' and ')}</strong>
            </>
          )}
        </span>
        <a class="button primary" href={href('/reviews/together', { ids: ids.join(',') })}>
          {ids.length === 1 ? 'Review it' : 'Review them together'}
        </a>
        {alike > 0 && (
          <button type="button" onClick={pickAlike}>
            Select {alike} more of this kind
          </button>
        )}
        {suspicious > 0 && (
          <span class="small-text">
            {suspicious} with a warning: reject {suspicious === 1 ? 'it' : 'them'} here, approve one by one.
          </span>
        )}
        {isLimited && <span class="quiet small-text">{TOGETHER_MAX} at most go together.</span>}
        <button type="button" class="plain" onClick={clear}>
          Clear
        </button>
      </div>
    </div>
  );
}
