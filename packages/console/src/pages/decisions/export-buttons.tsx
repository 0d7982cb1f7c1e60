/** Saves the filtered list as a file. */
import { useState } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { SCAN_MAX, scanDecisions } from '../../components/decision/scan-decisions.ts';
import { download } from '../../components/download.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { asCsv, asNdjson } from './export-decisions.ts';
import { type Filters, timedQueryOf } from './filters.ts';
import { searchDecisions, wantedIn } from './search-decisions.ts';

/** More than this is a job for the audit export. */
const EXPORTED_MAX = 10_000;

export function ExportButtons({ filters }: { readonly filters: Filters }) {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [said, setSaid] = useState('');
  const save = async (kind: 'csv' | 'ndjson') => {
    setIsBusy(true);
    setFailure(null);
    const { signal } = new AbortController();
    const query = timedQueryOf(filters);
    const outcome =
      filters.q === undefined && filters.is === undefined
        ? await scanDecisions(query, signal, EXPORTED_MAX)
        : await searchDecisions(query, wantedIn(filters), SCAN_MAX, signal);
    setIsBusy(false);
    if (outcome.kind === 'failure') return setFailure(outcome);
    const { rows, isComplete } = outcome.value;
    const name = `decisions-${new Date().toISOString().slice(0, 10)}.${kind}`;
    if (kind === 'csv') download(name, asCsv(rows), 'text/csv');
    else download(name, asNdjson(rows), 'application/x-ndjson');
    const count = rows.length.toLocaleString('en');
    setSaid(isComplete ? `${count} saved` : `${count} newest saved; the audit log has the rest`);
  };
  return (
    <>
      {/* First, so that no gap follows the last button while it is empty. */}
      <span class="small-text quiet" role="status">
        {said}
      </span>
      <button type="button" disabled={isBusy} onClick={() => save('csv')}>
        Export CSV
      </button>
      <button type="button" disabled={isBusy} onClick={() => save('ndjson')}>
        NDJSON
      </button>
      {failure !== null && <ErrorNote failure={failure} />}
    </>
  );
}
