/** What a search found, a page at a time, and how far it looked. */
import { useState } from 'preact/hooks';
import { DecisionTable } from '../../components/decision/decision-table.tsx';
import { SCAN_MAX } from '../../components/decision/scan-decisions.ts';
import { FoundText } from '../../components/found-text.ts';
import { Unloaded } from '../../components/loaded.tsx';
import { useLoad } from '../../use-load.ts';
import { type Filters, timedQueryOf } from './filters.ts';
import { OutcomeChart } from './outcome-chart.tsx';
import { searchDecisions, VALUES_MAX, wantedIn } from './search-decisions.ts';

const PAGE_SIZE = 40;

export function SearchResults({ filters }: { readonly filters: Filters }) {
  const [max, setMax] = useState(SCAN_MAX);
  const [page, setPage] = useState(0);
  const { value, failure, reload } = useLoad(`search ${max}`, (signal) =>
    searchDecisions(timedQueryOf(filters), wantedIn(filters), max, signal),
  );
  if (value === null) return <Unloaded load={{ failure, reload }} lines={10} />;
  const { rows, searched, isComplete } = value;
  const shown = rows.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
  const pages = {
    rows: shown,
    isLoading: false,
    failure: null,
    number: page + 1,
    next: rows.length > (page + 1) * PAGE_SIZE ? () => setPage(page + 1) : null,
    previous: page === 0 ? null : () => setPage(page - 1),
    reload,
  };
  return (
    <>
      <OutcomeChart filters={filters} isLive={false} rows={rows} />
      <p class="row small-text" role="status">
        <span>
          <strong>{rows.length === 1 ? '1 match' : `${rows.length.toLocaleString('en')} matches`}</strong>{' '}
          <span class="quiet">
            in {isComplete ? 'all' : 'the newest'} {searched.toLocaleString('en')} decisions of this time
            {searched > VALUES_MAX && `; values and amounts in the newest ${VALUES_MAX}`}
          </span>
        </span>
        {!isComplete && (
          <button type="button" class="small" onClick={() => setMax(max + 2 * SCAN_MAX)}>
            Search further back
          </button>
        )}
      </p>
      <FoundText.Provider value={filters.q ?? ''}>
        <DecisionTable
          pages={pages}
          caption="Matching decisions, newest first"
          empty={
            <>
              <p>
                <strong>No matches</strong>
              </p>
              <p class="quiet">Try a shorter part of the name, a longer time, or clear the filters.</p>
            </>
          }
        />
      </FoundText.Provider>
    </>
  );
}
