/** Paused writes, oldest first, with or without a review. */
import { useCallback } from 'preact/hooks';
import { ClockNote } from '../components/clock-note.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { usePlace } from '../state/route.ts';
import { DecisionTable } from './decisions-parts/decision-table.tsx';
import type { DecisionQuery } from './decisions-parts/decisions-api.ts';
import { DecisionFilters, filtersOf, queryOf } from './decisions-parts/filters.tsx';
import { rangeOf } from './decisions-parts/time-range.ts';
import { useDecisionPages } from './decisions-parts/use-decision-pages.ts';
import './pieces.css';
import './decisions-parts/decisions.css';

export default function Waiting() {
  const { query } = usePlace();
  const filters = filtersOf(query);
  const what = `waiting ${JSON.stringify(filters)}`;
  const queryNow = useCallback((): DecisionQuery => {
    const paused = { ...queryOf(filters), decision: 'pause', order: 'oldest' } as const;
    // Show every waiting write, however old.
    const { time = 'all' } = filters;
    return time === 'all' ? paused : { ...paused, lately: rangeOf(time) };
  }, [what]);
  const pages = useDecisionPages(what, queryNow, true);
  return (
    <div class="page">
      <div class="lead">
        <h1>Paused writes</h1>
        <p class="quiet">
          Oldest first. Open one to see what it needs, and to open a review if a person can approve it.
        </p>
      </div>
      <ClockNote />
      <DecisionFilters path="/waiting" filters={filters} hasDecision={false} defaultTime="all" />
      {pages.failure !== null && <ErrorNote failure={pages.failure} onRetry={pages.reload} />}
      <DecisionTable
        pages={pages}
        caption="Paused decisions, oldest first"
        whenIs="waiting"
        empty={
          <>
            <p>
              <strong>No paused writes</strong>
            </p>
            <p class="quiet">If you set filters, clear them to see all.</p>
          </>
        }
      />
    </div>
  );
}
