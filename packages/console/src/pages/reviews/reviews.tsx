/** The review inbox: what waits for the user, dangerous writes first; apart from it, what waits for others. */

import { useEffect, useRef } from 'preact/hooks';
import { listMine, listOthers, type ReviewPage } from '../../calls/reviews.ts';
import { ClockNote } from '../../components/clock-note.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Empty, PageHead, Unloaded } from '../../components/page.tsx';
import { isTooOld } from '../../components/review/may-do.ts';
import { countInWords, noteOpenReviews, useOpenReviews } from '../../open-reviews.ts';
import { noteList } from '../../state/last-list.ts';
import { notifying, turnNotifications } from '../../state/notify.ts';
import { href, usePlace } from '../../state/route.ts';
import { useRight, useSession } from '../../state/session.ts';
import { useStore } from '../../state/store.ts';
import { type Load, useEvery, useKept, useLoad } from '../../use-load.ts';
import { Mine } from './inbox-mine.tsx';
import { InboxPager, rowsOf, SHOWN } from './inbox-pages.tsx';
import { Closed, Done } from './inbox-past.tsx';
import { ReviewTable } from './review-table.tsx';
import { narrowingOf } from './sort-reviews.ts';

const OTHERS_EVERY_MS = 10_000;

const TABS = [
  { name: '', label: 'For you', lead: 'Writes that agents may make once you approve them.' },
  {
    name: 'others',
    label: 'For others',
    lead: 'Writes that agents may make once somebody else approves them.',
  },
  { name: 'done', label: 'Done by you today', lead: 'Writes that you approved or rejected today.' },
  { name: 'closed', label: 'Closed', lead: 'Writes that were decided, or whose review is over.' },
] as const;

type Tab = (typeof TABS)[number]['name'];

export default function Reviews() {
  const { query } = usePlace();
  // Auditors have no inbox, so their first tab is Closed.
  const person = useSession()?.person;
  const mayDecide = useRight('withdrawVerdict');
  const tabs = mayDecide ? TABS : TABS.filter(({ name }) => name === 'others' || name === 'closed').reverse();
  const tab = tabs.find(({ name }) => name === query.get('show')) ?? tabs[0]!;
  const page = Math.max(1, Math.trunc(Number(query.get('page'))) || 1);
  const mine = useKept(useLoad('mine', listMine));
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
      <PageHead title="Inbox" lead={tab.lead}>
        <NotifyButton />
      </PageHead>
      <nav class="tabs" aria-label="Inbox">
        <ul>
          {tabs.map(({ name, label }) => (
            <li key={name}>
              <a
                href={href('/reviews', { show: name })}
                aria-current={name === tab.name ? 'page' : undefined}
              >
                {name === 'others' && !mayDecide ? 'Open' : label}
                {counts[name] !== null && <span class="quiet"> {counts[name]}</span>}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <ClockNote />
      {tab.name === '' && (
        <Mine
          load={mine}
          page={page}
          others={counts.others}
          isNewcomer={others.value?.reviews.some((review) => isTooOld(review, person)) ?? false}
          narrowing={narrowingOf(query)}
        />
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

function Others({ load, page }: { readonly load: Load<ReviewPage>; readonly page: number }) {
  const { value, failure, readAt, reload } = load;
  const mayDecide = useRight('withdrawVerdict');
  if (value === null) return <Unloaded load={load} lines={8} />;
  const rows = rowsOf(value.reviews, page);
  if (rows.length === 0)
    return (
      <Empty title={mayDecide ? 'No reviews for others' : 'No review is open'}>
        Agents open reviews when a write pauses.
      </Empty>
    );
  return (
    <>
      <ErrorNote failure={failure} onRetry={reload} readAt={readAt} />
      <ReviewTable reviews={rows} caption="Open reviews for others" kind="others" />
      <InboxPager page={page} count={value.reviews.length} isTotal={value.nextCursor === null} />
    </>
  );
}

/** Turns desktop notifications of new reviews on and off. */
function NotifyButton() {
  const state = useStore(notifying);
  // A browser that was told to refuse asks nobody again.
  if (state === 'unsupported' || state === 'refused') return null;
  return (
    <button type="button" class="small" aria-pressed={state === 'on'} onClick={turnNotifications}>
      {state === 'on' ? 'Notifications on' : 'Notify me of new reviews'}
    </button>
  );
}
