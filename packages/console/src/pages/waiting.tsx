/** What waits for a person: the paused decisions, oldest first. */
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
    // However long something has waited, it waits.
    const { time = 'all' } = filters;
    return time === 'all' ? paused : { ...paused, lately: rangeOf(time) };
  }, [what]);
  const pages = useDecisionPages(what, queryNow, true);
  return (
    <div class="page">
      <div class="lead">
        <h1>Waiting for a person</h1>
        <p class="quiet">
          Paused writes, oldest first. Each one says what would make it pass; once that is there, the caller
          asks again, and the new decision stands beside this one.
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
              <strong>Nothing waits</strong>
            </p>
            <p class="quiet">No paused write is like this.</p>
          </>
        }
      />
    </div>
  );
}
