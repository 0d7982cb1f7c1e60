/** Paused writes, newest first, with or without a review. */
import { useCallback, useEffect } from 'preact/hooks';
import { ClockNote } from '../components/clock-note.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { noteList } from '../state/last-list.ts';
import { usePlace } from '../state/route.ts';
import { DecisionTable } from './decisions-parts/decision-table.tsx';
import type { DecisionQuery } from './decisions-parts/decisions-api.ts';
import { FilterBar } from './decisions-parts/filter-bar.tsx';
import { filtersOf, timedQueryOf } from './decisions-parts/filters.ts';
import { useAgents } from './decisions-parts/use-agents.ts';
import { placeInAddress, useDecisionPages } from './decisions-parts/use-decision-pages.ts';
import '../style/pieces.css';
import './decisions-parts/decisions.css';

const PATH = '/waiting';

export default function Waiting() {
  const { query } = usePlace();
  const { pages: page, ...filters } = filtersOf(query);
  const agents = useAgents();
  const what = `waiting ${JSON.stringify(filters)}`;
  useEffect(() => noteList('Paused writes'), [what, page]);
  const queryNow = useCallback((): DecisionQuery => {
    return { ...timedQueryOf({ time: 'all', ...filters }), decision: 'pause' };
  }, [what]);
  const place = placeInAddress(PATH, page === undefined ? filters : { ...filters, pages: page });
  const pages = useDecisionPages(what, queryNow, true, place);
  return (
    <div class="page">
      <div class="lead">
        <h1>Paused writes</h1>
        <p class="quiet">
          Every pause, resolved or not. Open one to see what it needs, and to open a review if a person can
          approve it.
        </p>
      </div>
      <ClockNote />
      <FilterBar path={PATH} filters={filters} agents={agents} hasDecision={false} defaultTime="all" />
      {pages.failure !== null && <ErrorNote failure={pages.failure} onRetry={pages.reload} />}
      <DecisionTable
        pages={pages}
        caption="Paused decisions, newest first"
        hasOutcome={false}
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
