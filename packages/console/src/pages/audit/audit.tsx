/** The audit log: its state, what administrators did, and an export. */
import { useState } from 'preact/hooks';
import { call, type Failure } from '../../api.ts';
import { download } from '../../components/download.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { TextField } from '../../components/field.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useRight } from '../../state/rights.ts';
import { LogState } from './log-state.tsx';
import { WhoDidWhat } from './who-did-what.tsx';
import '../../style/pieces.css';
import '../../style/decisions.css';
import '../../style/workspace.css';

export default function Audit() {
  const mayReadAll = useRight('exportLog');
  return (
    <div class="page">
      <PageHead
        title="Audit log"
        lead="Every decision is an entry of a signed log. Nobody can change or remove one without breaking the proof."
      />
      <LogState />
      {mayReadAll ? (
        <WhoDidWhat />
      ) : (
        <p class="quiet">Owners and auditors can also export the log and see who changed what.</p>
      )}
      {mayReadAll && <Export />}
    </div>
  );
}

function Export() {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const save = async (event: Event) => {
    event.preventDefault();
    setIsBusy(true);
    setFailure(null);
    const midnight = (day: string) => (day === '' ? '' : `${day}T00:00:00Z`);
    const outcome = await call('GET /v1/audit/export', {
      query: { from: midnight(from), to: midnight(to) },
      isText: true,
      timeoutMs: 600_000,
    });
    setIsBusy(false);
    if (outcome.kind === 'failure') return setFailure(outcome);
    download('writecheck-export.ndjson', outcome.value, 'application/x-ndjson');
  };
  return (
    <section class="card" aria-labelledby="export">
      <h2 id="export">Export</h2>
      <p class="quiet">
        Records, leaves and proofs of this workspace, to verify and replay offline. For a large log run{' '}
        <code>writecheck audit export</code>, which can resume.
      </p>
      <form class="row" onSubmit={save}>
        <TextField kind="day" label="From (UTC)" type="date" value={from} onInput={setFrom} />
        <TextField kind="day" label="To (UTC), not included" type="date" value={to} onInput={setTo} />
        <button type="submit" disabled={isBusy}>
          {isBusy ? 'Exporting …' : 'Export NDJSON'}
        </button>
      </form>
      {failure !== null && <ErrorNote failure={failure} />}
    </section>
  );
}
