/** All decisions, live: search, filters, a chart that obeys them, saved views and export. */
import { revealedPlain } from '@writecheck/contract';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useAgents } from '../../components/agent/use-agents.ts';
import { ClockNote } from '../../components/clock-note.tsx';
import { DecisionTable } from '../../components/decision/decision-table.tsx';
import { placeInAddress, useDecisionPages } from '../../components/decision/use-decision-pages.ts';
import { Empty } from '../../components/empty.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { noteList } from '../../state/last-list.ts';
import { href, replacePlace, usePlace } from '../../state/route.ts';
import { ExportButtons } from './export-buttons.tsx';
import { FilterBar } from './filter-bar.tsx';
import { type Filters, filtersFrom, filtersOf, isNarrowed, timedQueryOf } from './filters.ts';
import { OutcomeChart } from './outcome-chart.tsx';
import { SearchResults } from './search-results.tsx';
import { StopGroups } from './stop-groups.tsx';
import { ViewsBar } from './views-bar.tsx';
import '../../style/pieces.css';
import '../../style/decisions.css';

const PATH = '/decisions';

export default function Decisions() {
  const { query } = usePlace();
  const filters = filtersOf(query);
  const agents = useAgents();
  const [isLive, setIsLive] = useState(true);
  const address = JSON.stringify(filters);
  useEffect(() => noteList('Decisions'), [address]);
  // An address may hold what somebody would type.
  const typed = filters.q === undefined ? null : filtersFrom(filters.q, agents);
  const isNamed = typed?.keyId === undefined || agents.size > 0;
  useEffect(() => {
    if (typed !== null && isNamed) replacePlace(PATH, { ...filters, ...typed });
  }, [address, isNamed]);
  // A name that is no agent's stays as it was typed.
  const isUnknown = filters.keyId?.startsWith('key_') === false && agents.size > 0;
  return (
    <div class="page">
      <PageHead title="Decisions">
        <div class="row">
          <label class="live">
            <input
              type="checkbox"
              checked={isLive}
              onChange={(event) => setIsLive(event.currentTarget.checked)}
            />
            Live
          </label>
          <ExportButtons filters={filters} />
        </div>
      </PageHead>
      <ClockNote />
      <FilterBar path={PATH} filters={filters} agents={agents}>
        <ViewsBar filters={filters} />
      </FilterBar>
      {isUnknown ? (
        <Empty title={`No agent is called ${revealedPlain(filters.keyId!)}`}>
          <a href={href(PATH, { ...filters, keyId: '', pages: '' })}>Show all agents</a>
        </Empty>
      ) : filters.q === undefined && filters.is === undefined ? (
        <List filters={filters} isLive={isLive} />
      ) : (
        <SearchResults key={address} filters={filters} />
      )}
    </div>
  );
}

function List({ filters, isLive }: { readonly filters: Filters; readonly isLive: boolean }) {
  const { pages: _page, ...narrowing } = filters;
  const what = JSON.stringify(narrowing);
  const queryNow = useCallback(() => timedQueryOf(narrowing), [what]);
  const pages = useDecisionPages(what, queryNow, isLive, placeInAddress(PATH, filters));
  return (
    <>
      <OutcomeChart filters={filters} isLive={isLive} />
      <StopGroups filters={filters} />
      {pages.failure !== null && <ErrorNote failure={pages.failure} onRetry={pages.reload} />}
      <DecisionTable
        pages={pages}
        caption="Decisions, newest first"
        empty={
          isNarrowed(filters) || filters.from !== undefined ? (
            <>
              <p>
                <strong>No matches</strong>
              </p>
              <p class="quiet">
                Clear the filters, or{' '}
                <a href={href(PATH, { ...filters, time: 'all', from: '', to: '', pages: '' })}>
                  search all time
                </a>
                .
              </p>
            </>
          ) : (
            <>
              <p>
                <strong>{filters.time === 'all' ? 'No decisions yet' : 'No decisions in this time'}</strong>
              </p>
              <p class="quiet">
                <a href={href('/playground')}>Send a check from the playground</a>, or{' '}
                <a href={href(PATH, { time: 'all' })}>search all time</a>.
              </p>
            </>
          )
        }
      />
    </>
  );
}
