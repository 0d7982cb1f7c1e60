/** The audit log: its state, what administrators did, and an export. */
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { download } from '../../components/download.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { TextField } from '../../components/field.tsx';
import { PageHead, Section } from '../../components/page.tsx';
import { noteList } from '../../state/last-list.ts';
import { useRight } from '../../state/session.ts';
import { useAct } from '../../use-act.ts';
import { LogState } from './log-state.tsx';
import { WhoDidWhat } from './who-did-what.tsx';

export default function Audit() {
  const mayReadAll = useRight('exportLog');
  useEffect(() => noteList('Audit log'), []);
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
  const { isBusy, failure, act } = useAct();
  const save = (event: Event) => {
    event.preventDefault();
    const midnight = (day: string) => (day === '' ? '' : `${day}T00:00:00Z`);
    const query = { from: midnight(from), to: midnight(to) };
    act(call('GET /v1/audit/export', { query, isText: true, timeoutMs: 600_000 }), (lines) =>
      download('writecheck-export.ndjson', lines, 'application/x-ndjson'),
    );
  };
  return (
    <Section title="Export">
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
      <ErrorNote failure={failure} />
    </Section>
  );
}
