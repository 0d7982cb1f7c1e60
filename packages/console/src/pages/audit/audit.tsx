/** The audit log: its head, the key that signs it, an export, and what administrators did. */
import type { AuditLog } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { call, type Failure, type Reply } from '../../api.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { VerifierKeyLine } from '../../components/decision/verifier-key.tsx';
import { download } from '../../components/download.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { TextField } from '../../components/field.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useRight } from '../../state/rights.ts';
import { useLoad } from '../../use-load.ts';
import { WhoDidWhat } from './who-did-what.tsx';
import '../../style/pieces.css';
import '../../style/decisions.css';
import '../../style/workspace.css';

interface Head {
  readonly logs: readonly (AuditLog & { readonly checkpoint: string })[];
  readonly keys: string;
}

export default function Audit() {
  const head = useLoad('audit head', readHead);
  const mayReadAll = useRight('exportLog');
  return (
    <div class="page">
      <PageHead
        title="Audit log"
        lead="Every decision is an entry of a signed log. Nobody can change or remove one without breaking the proof."
      />
      {mayReadAll ? (
        <WhoDidWhat />
      ) : (
        <p class="quiet">Owners and auditors can also export the log and see who changed what.</p>
      )}
      <Loaded load={head} lines={6}>
        {(value) => <Heads head={value} />}
      </Loaded>
      {mayReadAll && <Export />}
    </div>
  );
}

async function readHead(signal: AbortSignal): Promise<Reply<Head>> {
  const open = { signal, key: null } as const;
  const logs = await call('GET /v1/audit/logs', {
    ...open,
    has: { logs: 'array' },
  });
  if (logs.kind === 'failure') return logs;
  const keys = await call('GET /v1/audit/key', { ...open, isText: true });
  if (keys.kind === 'failure') return keys;
  const withHeads: (AuditLog & { readonly checkpoint: string })[] = [];
  for (const log of logs.value.logs) {
    const query = { log: log.log };
    const note = await call('GET /v1/audit/checkpoint', { ...open, query, isText: true });
    // An empty log has no checkpoint yet.
    withHeads.push({ ...log, checkpoint: note.kind === 'success' ? note.value : '' });
  }
  return { ...logs, value: { logs: withHeads, keys: keys.value } };
}

function Heads({ head }: { readonly head: Head }) {
  return (
    <section class="card" aria-labelledby="head">
      <h2 id="head">Newest checkpoint</h2>
      {head.logs.map(({ log, size, isOpen, checkpoint }) => (
        <div key={log} class="log-head">
          <p>
            <strong>{size.toLocaleString('en')} entries</strong> <span class="quiet">in log</span>{' '}
            <code>{log}</code> {isOpen && <span class="chip running">open</span>}
          </p>
          {checkpoint !== '' && (
            <div class="command">
              <pre>{checkpoint}</pre>
              <CopyButton text={checkpoint} what="the checkpoint" />
            </div>
          )}
        </div>
      ))}
      <p class="quiet small-text">
        Keep a copy. <code>writecheck audit verify</code> proves later that the log still begins with it.
      </p>
      <VerifierKeyLine published={head.keys} />
    </section>
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
