/** Saves the filtered list as a file. */
import { useState } from 'preact/hooks';
import { success } from '../../api.ts';
import { scanDecisions } from '../../components/decision/scan-decisions.ts';
import { download } from '../../components/download.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useAct } from '../../use-act.ts';
import { asCsv, asNdjson } from './export-decisions.ts';
import { type Filters, timedQueryOf } from './filters.ts';
import type { Search } from './use-search.ts';

/** More than this is a job for the audit export. */
const EXPORTED_MAX = 10_000;

export function ExportButtons({
  filters,
  search,
}: {
  readonly filters: Filters;
  /** Its matches are what is saved; null for a list without a search. */
  readonly search: Search | null;
}) {
  const { isBusy, failure, act } = useAct();
  const [said, setSaid] = useState('');
  const save = (kind: 'csv' | 'ndjson') => {
    const asked =
      search === null
        ? scanDecisions(timedQueryOf(filters), new AbortController().signal, EXPORTED_MAX)
        : Promise.resolve(success(foundBy(search)));
    return act(asked, ({ rows, isComplete }) => {
      const name = `decisions-${new Date().toISOString().slice(0, 10)}.${kind}`;
      if (kind === 'csv') download(name, asCsv(rows), 'text/csv');
      else download(name, asNdjson(rows), 'application/x-ndjson');
      const count = rows.length.toLocaleString('en');
      const rest = search === null ? '; the audit log has the rest' : ' of those searched';
      setSaid(isComplete ? `${count} saved` : `${count} newest saved${rest}`);
    });
  };
  const isOff = isBusy || search?.step === null || search?.isOld === true;
  return (
    <>
      {/* First, so that no gap follows the last button while it is empty. */}
      <span class="small-text quiet" role="status">
        {said}
      </span>
      <button type="button" disabled={isOff} onClick={() => save('csv')}>
        Export CSV
      </button>
      <button type="button" disabled={isOff} onClick={() => save('ndjson')}>
        NDJSON
      </button>
      <ErrorNote failure={failure} />
    </>
  );
}

function foundBy({ step }: Search) {
  const isComplete = step?.isAll === true && step.unread + step.unreadable === 0;
  return { rows: (step?.found ?? []).map(({ row }) => row), isComplete };
}
