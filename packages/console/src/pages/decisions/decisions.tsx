/** All decisions, live: search, filters, a chart that obeys them, saved views and export. */
import { revealedPlain } from '@writecheck/contract';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Agents, useAgents } from '../../components/agent/use-agents.ts';
import { ClockNote } from '../../components/clock-note.tsx';
import { DecisionTable } from '../../components/decision/decision-table.tsx';
import { placeInAddress, useDecisionPages } from '../../components/decision/use-decision-pages.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Empty, PageHead } from '../../components/page.tsx';
import { RevealedText } from '../../components/text.tsx';
import { noteList } from '../../state/last-list.ts';
import { useLookedAt } from '../../state/looked-at.ts';
import { href, replacePlace, usePlace } from '../../state/route.ts';
import { ExportButtons } from './export-buttons.tsx';
import { FilterBar } from './filter-bar.tsx';
import {
  type Filters,
  filtersFrom,
  filtersOf,
  isNarrowed,
  isSearched,
  termsOf,
  timedQueryOf,
  typedIn,
} from './filters.ts';
import { OutcomeChart } from './outcome-chart.tsx';
import { SearchResults } from './search-results.tsx';
import { StopGroups } from './stop-groups.tsx';
import { useSearch } from './use-search.ts';
import { ViewsBar } from './views-bar.tsx';

const PATH = '/decisions';

export default function Decisions() {
  const { query } = usePlace();
  const filters = filtersOf(query);
  const agents = useAgents();
  const [isLive, setIsLive] = useState(true);
  const address = JSON.stringify(filters);
  useEffect(() => noteList('Decisions'), [address]);
  const { objectRef, system } = filters;
  useLookedAt(
    objectRef === undefined
      ? null
      : {
          label: objectRef,
          what: system === undefined ? 'object' : `object in ${system}`,
          path: PATH,
          query: { system: system ?? '', objectRef, time: 'all' },
        },
  );
  // An address may hold what somebody would type.
  const reading = typedIn(filters.q ?? '');
  const typed = filtersFrom(reading, agents, filters);
  const isNamed = typed?.keyId === undefined || agents.size > 0;
  useEffect(() => {
    if (typed !== null && isNamed) replacePlace(PATH, { ...filters, ...typed });
  }, [address, isNamed]);
  // An unknown agent name stays in the filter as text.
  const isUnknown = filters.keyId?.startsWith('key_') === false && agents.size > 0;
  const unknown = agents.size === 0 ? [] : unknownAgents(filters, agents);
  const isSearch = isSearched(filters) && reading.fault === null && typed === null;
  const search = useSearch(isSearch && !isUnknown ? filters : null);
  // The rows before stay, dimmed, until the search has some.
  const listed = useRef<Filters | null>(null);
  if (!isSearch && reading.fault === null) listed.current = filters;
  const isWaiting = isSearch && search.failure === null && (search.step === null || search.isOld);
  const list = isWaiting && search.step === null ? listed.current : isSearch ? null : filters;
  // What is over does not change.
  const mayBeLive =
    !isSearch && reading.fault === null && (filters.to === undefined || Date.parse(filters.to) > Date.now());
  return (
    <div class="page">
      <PageHead title="Decisions">
        <div class="row">
          {mayBeLive && (
            <label>
              <input
                type="checkbox"
                checked={isLive}
                onChange={(event) => setIsLive(event.currentTarget.checked)}
              />
              Live
            </label>
          )}
          {reading.fault === null && <ExportButtons filters={filters} search={isSearch ? search : null} />}
        </div>
      </PageHead>
      <ClockNote />
      <FilterBar path={PATH} filters={filters} agents={agents}>
        <ViewsBar filters={filters} />
      </FilterBar>
      {unknown.map((name) => (
        <p key={name} class="small-text" role="status">
          No agent is called <RevealedText text={name} />, so nothing is left out by it.
        </p>
      ))}
      {isUnknown ? (
        <Empty title={`No agent is called ${revealedPlain(filters.keyId!)}`}>
          {filters.keyId!.includes(',') && 'Search for one agent at a time. '}
          <a href={href(PATH, { ...filters, keyId: '', pages: '' })}>Show all agents</a>
        </Empty>
      ) : reading.fault !== null ? (
        <Empty title="This cannot be searched for">
          <RevealedText text={reading.fault} />
        </Empty>
      ) : (
        <div class={`stack far${isWaiting ? ' is-old' : ''}`} aria-busy={isWaiting}>
          {list === null ? (
            <SearchResults filters={filters} search={search} />
          ) : (
            <List filters={list} isLive={isLive && mayBeLive} />
          )}
        </div>
      )}
    </div>
  );
}

function unknownAgents(filters: Filters, agents: Agents): readonly string[] {
  const left = termsOf(filters).filter(({ word }) => word === 'agent');
  const names = new Set([...agents].flat());
  return left.map(({ value }) => value).filter((value) => !names.has(value));
}

function List({ filters, isLive }: { readonly filters: Filters; readonly isLive: boolean }) {
  const { pages: _page, ...narrowing } = filters;
  const what = JSON.stringify(narrowing);
  const queryNow = useCallback(() => timedQueryOf(narrowing), [what]);
  const [isGrouping, setIsGrouping] = useState(false);
  const isNarrow = isNarrowed(filters) || filters.from !== undefined;
  const isAllTime = filters.time === 'all';
  // A slow service gets one request for lists at a time.
  const pages = useDecisionPages(what, queryNow, isLive && !isGrouping, placeInAddress(PATH, filters));
  return (
    <>
      <OutcomeChart filters={filters} isLive={isLive} />
      {pages.rows !== null && filters.decision !== 'allow' && (
        <StopGroups filters={filters} onBusy={setIsGrouping} />
      )}
      <ErrorNote failure={pages.failure} onRetry={pages.reload} readAt={pages.readAt} />
      <DecisionTable
        pages={pages}
        caption="Decisions, newest first"
        onSort={({ by }) => by === 'amount' && replacePlace(PATH, { ...filters, pages: '', order: 'amount' })}
        empty={
          <Empty
            title={isNarrow ? 'No matches' : isAllTime ? 'No decisions yet' : 'No decisions in this time'}
          >
            {isNarrow ? (
              <a href={href(PATH, { time: filters.time ?? '' })}>Clear the filters</a>
            ) : (
              <a href={href('/playground')}>Send a check from the playground</a>
            )}
            {!isAllTime && (
              <>
                , or{' '}
                <a href={href(PATH, { ...(isNarrow && filters), time: 'all', from: '', to: '', pages: '' })}>
                  search all time
                </a>
              </>
            )}
            .
          </Empty>
        }
      />
    </>
  );
}
