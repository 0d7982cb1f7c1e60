/** All decisions, live. */
import { useCallback, useState } from 'preact/hooks';
import { ClockNote } from '../components/clock-note.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { href, usePlace } from '../state/route.ts';
import { DecisionTable } from './decisions-parts/decision-table.tsx';
import type { DecisionQuery } from './decisions-parts/decisions-api.ts';
import { DecisionFilters, filtersOf, queryOf } from './decisions-parts/filters.tsx';
import { OutcomeChart } from './decisions-parts/outcome-chart.tsx';
import { rangeOf } from './decisions-parts/time-range.ts';
import { useDecisionPages } from './decisions-parts/use-decision-pages.ts';
import './pieces.css';
import './decisions-parts/decisions.css';

export default function Decisions() {
  const { query } = usePlace();
  const filters = filtersOf(query);
  const [isLive, setIsLive] = useState(true);
  const what = JSON.stringify(filters);
  const queryNow = useCallback((): DecisionQuery => {
    const { from = '', to = '', time } = filters;
    if (from !== '') return { ...queryOf(filters), from, to };
    if (time === 'all') return queryOf(filters);
    return { ...queryOf(filters), lately: rangeOf(time ?? null) };
  }, [what]);
  const pages = useDecisionPages(what, queryNow, isLive);
  return (
    <div class="page">
      <div class="row title-row">
        <h1>Decisions</h1>
        <label class="live">
          <input
            type="checkbox"
            checked={isLive}
            onChange={(event) => setIsLive(event.currentTarget.checked)}
          />
          Live
        </label>
      </div>
      <ClockNote />
      <OutcomeChart range={rangeOf(filters.time === 'all' ? '1y' : (filters.time ?? null))} isLive={isLive} />
      <DecisionFilters path="/decisions" filters={filters} hasDecision defaultTime="7d" />
      {pages.failure !== null && <ErrorNote failure={pages.failure} onRetry={pages.reload} />}
      <DecisionTable
        pages={pages}
        caption="Decisions, newest first"
        empty={
          <>
            <p>
              <strong>{what === '{}' ? 'No decisions in the last 7 days' : 'No matches'}</strong>
            </p>
            <p class="quiet">
              Clear filters, <a href={href('/decisions', { time: 'all' })}>search all time</a>, or{' '}
              <a href={href('/playground')}>send a check from the playground</a>.
            </p>
          </>
        }
      />
    </div>
  );
}
