/** The tabs of what is over: closed reviews, and what the signed-in user decided today. */

import type { Review } from '@writecheck/api';
import { useMemo } from 'preact/hooks';
import { listClosed, listDecided } from '../../calls/reviews.ts';
import { FoundText } from '../../components/found-text.ts';
import { Empty, Unloaded } from '../../components/page.tsx';
import { isUser } from '../../components/review/may-do.ts';
import { markedText } from '../../components/search/fits.ts';
import { readTyped } from '../../components/search/typed.ts';
import { REVIEW_WORDS } from '../../components/search/vocabularies.ts';
import { href, usePlace } from '../../state/route.ts';
import { useSession } from '../../state/session.ts';
import { type Load, useEvery, useKept, useLoad } from '../../use-load.ts';
import { InboxFilters, narrow } from './inbox-filters.tsx';
import { InboxPager, rowsOf, SHOWN } from './inbox-pages.tsx';
import { orderedOf, sortingOf } from './order-reviews.ts';
import { ReviewTable } from './review-table.tsx';
import { isNarrow, narrowed, narrowingOf } from './sort-reviews.ts';

const EVERY_MS = 10_000;
/** Of those decided last, enough for a reviewer's day. */
const DECIDED_MAX = 200;
/** Search, filters and order look through so many of the newest. */
const SEARCHED_MAX = 600;

export function Closed({ page }: { readonly page: number }) {
  const narrowing = narrowingOf(usePlace().query, 'closed');
  const isSearched = isNarrow(narrowing) || narrowing.order !== 'closed';
  const max = isSearched ? SEARCHED_MAX : page * SHOWN + 1;
  const load = useKept(useLoad(`closed ${max}`, (signal) => listClosed(max, signal)));
  return (
    <Past
      load={load}
      max={max}
      page={page}
      show="closed"
      caption="Recently closed reviews"
      none="No closed reviews yet"
      what="Decided, expired and cancelled reviews are listed here."
    />
  );
}

/** What the signed-in user decided since midnight. */
export function Done({ page }: { readonly page: number }) {
  const person = useSession()?.person;
  const load = useKept(
    useLoad('done', (signal) => {
      const today = new Date().toDateString();
      return listDecided(
        DECIDED_MAX,
        signal,
        ({ by, at }) => new Date(at).toDateString() === today && isUser(by, person),
      );
    }),
  );
  return (
    <Past
      load={load}
      max={DECIDED_MAX}
      page={page}
      show="done"
      caption="Reviews you decided today"
      none="Nothing decided today"
      what="What you approve or reject today is listed here."
    />
  );
}

function Past({
  load: { value, failure, isLoading, reload },
  max,
  page,
  show,
  caption,
  none,
  what,
}: {
  readonly load: Load<readonly Review[]>;
  /** How many were asked for. */
  readonly max: number;
  readonly page: number;
  readonly show: 'closed' | 'done';
  readonly caption: string;
  readonly none: string;
  readonly what: string;
}) {
  const narrowing = narrowingOf(usePlace().query, show);
  useEvery(EVERY_MS, !isLoading && page === 1 && !isNarrow(narrowing), reload);
  const found = useMemo(() => narrowed(value ?? [], narrowing), [value, JSON.stringify(narrowing)]);
  if (value === null) return <Unloaded load={{ failure, reload }} lines={8} />;
  if (value.length === 0) return <Empty title={none}>{what}</Empty>;
  const isAll = value.length < max;
  return (
    <>
      <InboxFilters
        label={caption}
        names={show === 'done' ? ['outcome'] : ['outcome', 'person', 'days']}
        all={value}
        narrowing={narrowing}
        found={`${found.length} of ${isAll ? '' : 'the newest '}${value.length}`}
      />
      {found.length === 0 ? (
        <Empty title="No matches">
          <a href={href('/reviews', { show })}>Show all</a>
        </Empty>
      ) : (
        <FoundText.Provider value={markedText(readTyped(narrowing.q, REVIEW_WORDS).words)}>
          <ReviewTable
            reviews={rowsOf(found, page)}
            caption={caption}
            kind="closed"
            sorting={sortingOf(narrowing.order)}
            onSort={(sorting) => narrow({ ...narrowing, order: orderedOf(sorting) })}
          />
          {!isAll && narrowing.order !== 'closed' && (
            <p class="quiet small-text">Sorted among the newest {value.length.toLocaleString('en')}.</p>
          )}
          <InboxPager page={page} count={found.length} isTotal={isAll} />
        </FoundText.Provider>
      )}
    </>
  );
}
