/** What a search found, a page at a time, how far it looked, and a way on through the rest. */

import type { DecisionSummary } from '@writecheck/api';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { success } from '../../api.ts';
import { nowThere } from '../../calls/decisions.ts';
import { counted } from '../../components/counted.ts';
import { DecisionTable } from '../../components/decision/decision-table.tsx';
import { markedIfRead } from '../../components/decision/details.ts';
import { sumsInWords } from '../../components/decision/said-in-intent.ts';
import { rangeOf, startOf } from '../../components/decision/time-range.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { FoundText } from '../../components/found-text.ts';
import { Empty, Skeleton } from '../../components/page.tsx';
import { markedText } from '../../components/search/fits.ts';
import { RevealedText } from '../../components/text.tsx';
import { mapped } from '../../replies.ts';
import { replacePlace } from '../../state/route.ts';
import { useLoad } from '../../use-load.ts';
import { type Filters, queryOf, typedIn } from './filters.ts';
import { countOf, OutcomeChart } from './outcome-chart.tsx';
import { FOUND_MAX, type Found, type Step } from './search-decisions.ts';
import { Groups } from './stop-groups.tsx';
import type { Search } from './use-search.ts';

const PAGE_SIZE = 40;

export function SearchResults({ filters, search }: { readonly filters: Filters; readonly search: Search }) {
  const { step, failure, goOn } = search;
  const what = JSON.stringify(filters);
  const typed = typedIn(filters.q ?? '');
  const [page, setPage] = useState(0);
  useEffect(() => setPage(0), [what]);
  const found = step?.found ?? NOTHING;
  const rows = useMemo(() => inOrder(found, filters.order), [found, filters.order]);
  const stops = useMemo(
    () => found.filter(({ row }) => row.decision !== 'allow').map(({ row }) => markedIfRead(row)),
    [found],
  );
  if (step === null)
    return failure === null ? <Skeleton lines={10} /> : <ErrorNote failure={failure} onRetry={goOn} />;
  const pages = {
    rows: rows.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE),
    isLoading: false,
    number: page + 1,
    next: rows.length > (page + 1) * PAGE_SIZE ? () => setPage(page + 1) : null,
    previous: page === 0 ? null : () => setPage(page - 1),
  };
  return (
    <>
      <OutcomeChart filters={filters} isLive={false} rows={rows} />
      <Groups filters={filters} rows={stops} />
      <Searched step={step} filters={filters} search={search} />
      <ErrorNote failure={failure} onRetry={goOn} />
      <FoundText.Provider value={markedText(typed.words)}>
        <DecisionTable
          pages={pages}
          caption={`Matching decisions, ${filters.order === undefined ? 'newest first' : 'by amount'}`}
          {...(filters.order !== undefined && {
            sorting: { by: 'amount', isReversed: filters.order !== 'amount' },
          })}
          onSort={({ by, isReversed }) =>
            replacePlace('/decisions', {
              ...filters,
              order: by === 'when' ? '' : isReversed ? '-amount' : 'amount',
            })
          }
          empty={
            <Empty title={`No matches${isWhole(step) ? '' : ' so far'}`}>
              {typed.unknown !== null && (
                <>
                  No filter is called <RevealedText text={typed.unknown} />, so it is searched as text.{' '}
                </>
              )}
              {isWhole(step)
                ? 'Try a shorter part of the name, a longer time, or clear the filters.'
                : 'Older decisions, or their values, are not searched yet.'}
            </Empty>
          }
        />
      </FoundText.Provider>
    </>
  );
}

const NOTHING: readonly Found[] = [];

function isWhole({ isAll, unread }: Step): boolean {
  return isAll && unread === 0;
}

/** What has no amount comes last either way. */
function inOrder(found: readonly Found[], order: string | undefined): readonly DecisionSummary[] {
  if (order === undefined) return found.map(({ row }) => row);
  const direction = order === 'amount' ? -1 : 1;
  const last = Number.POSITIVE_INFINITY;
  const keyOf = ({ money }: Found) => (money == null ? last : direction * money.amount);
  return found
    .map((each) => ({ row: each.row, key: keyOf(each) }))
    .sort((a, b) => (a.key === b.key ? 0 : a.key - b.key))
    .map(({ row }) => row);
}

function Searched({
  step,
  filters,
  search: { isRunning, goOn, stop },
}: {
  readonly step: Step;
  readonly filters: Filters;
  readonly search: Search;
}) {
  const { found, searched, unread, unreadable, isAll } = step;
  const total = useTotal(filters, isAll ? searched : null);
  const sums = useMemo(() => sumsInWords(found.map(({ money }) => money ?? null)), [found]);
  const count = (number: number) => number.toLocaleString('en');
  const isFull = found.length >= FOUND_MAX;
  return (
    <div class="row small-text searched">
      <span role="status">
        <strong>{counted(found.length, 'match', 'matches')}</strong>
        {sums.length > 0 && <>, {sums.join(' and ')}</>}{' '}
        <span class="quiet">
          in {isAll ? 'all' : 'the newest'} {count(searched)} decisions of this time
          {unread > 0 && `; in ${count(unread)} of them, values and amounts are not read yet`}
          {unreadable > 0 && `; ${count(unreadable)} of them could not be read`}
          {isFull && `; no more than ${count(FOUND_MAX)} matches are listed`}
        </span>
      </span>
      {isRunning ? (
        <>
          <progress
            aria-label="Searched"
            max={total ?? undefined}
            value={total === null ? undefined : searched - unread}
          />
          <button type="button" class="small" onClick={stop}>
            Stop
          </button>
        </>
      ) : (
        !isWhole(step) &&
        !isFull && (
          <button type="button" class="small" onClick={goOn}>
            Search all{total === null ? '' : ` ${count(total)}`}
          </button>
        )
      )}
    </div>
  );
}

/** How many decisions there are to search; null if the service does not count them. */
function useTotal(filters: Filters, known: number | null): number | null {
  const { time, from } = filters;
  const { decision, ...others } = queryOf(filters);
  const range = rangeOf(time ?? null);
  const isCounted =
    known === null &&
    from === undefined &&
    time !== 'all' &&
    range.step !== 'minute' &&
    Object.keys(others).length === 0;
  const { value } = useLoad(`total ${isCounted} ${range.name} ${decision}`, async (signal) => {
    if (!isCounted) return success(null);
    const reply = await countOf(filters, range, startOf(range, await nowThere(signal)), signal);
    return mapped(reply, ({ bars }) =>
      bars.reduce((all, { counts: { allow, pause, block } }) => all + allow + pause + block, 0),
    );
  });
  return known ?? value;
}
