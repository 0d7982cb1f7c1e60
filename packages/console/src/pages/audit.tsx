/** The audit log: its head, the key that signs it, an export, and what administrators did. */
import type { AuditLog } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { call, type Failure, type Reply } from '../api.ts';
import { type AdminEvent, adminEvents } from '../components/admin-events.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { DataTable } from '../components/data-table.tsx';
import { VerifierKeyLine } from '../components/decision/verifier-key.tsx';
import { download } from '../components/download.ts';
import { ErrorNote } from '../components/error-note.tsx';
import { Choice, TextField } from '../components/field.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Moment } from '../components/moment.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RevealedText } from '../components/revealed-text.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { Told } from '../components/told.tsx';
import { useRight } from '../state/rights.ts';
import { href } from '../state/route.ts';
import { useLoad } from '../use-load.ts';
import '../style/pieces.css';
import '../style/decisions.css';
import '../style/workspace.css';

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
        <AdminEvents />
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

const SHOWN_FIRST = 25;
/** By the page that an event leads to. */
const ABOUT = [
  ['', 'Everything'],
  ['/keys', 'Keys'],
  ['/policies', 'Policies'],
  ['/people', 'People'],
  ['/freezes', 'Freezes'],
  ['/reviews', 'Reviews'],
] as const;

const DAY_MS = 86_400_000;
/** In days; 0 for all. */
const PERIODS = [
  [0, 'Any time'],
  [1, 'Last 24 hours'],
  [7, 'Last 7 days'],
  [30, 'Last 30 days'],
] as const;

function save(events: readonly AdminEvent[]): void {
  download('writecheck-changes.json', `${JSON.stringify(events, null, 2)}\n`, 'application/json');
}

function AdminEvents() {
  const { value, failure, reload } = useLoad('admin events', adminEvents);
  const [areAllShown, setAreAllShown] = useState(false);
  const [about, setAbout] = useState('');
  const [text, setText] = useState('');
  const [days, setDays] = useState(0);
  const wanted = text.trim().toLowerCase();
  const found = (value ?? []).filter(
    ({ at, what, by, path, amount }) =>
      (path ?? '').startsWith(about) &&
      (days === 0 || Date.now() - Date.parse(at) < days * DAY_MS) &&
      `${what}\n${by ?? ''}\n${amount ?? ''}`.toLowerCase().includes(wanted),
  );
  const shown = areAllShown ? found : found.slice(0, SHOWN_FIRST);
  return (
    <section class="observed-list" aria-labelledby="events">
      <h2 id="events">Who did what</h2>
      {failure !== null && <ErrorNote failure={failure} onRetry={reload} />}
      {value !== null && (
        <div class="filter-bar">
          <TextField
            kind="search-field"
            label="Search changes"
            isLabelHidden
            type="search"
            value={text}
            placeholder="Search by name or person"
            onInput={setText}
          />
          <Choice label="About" isLabelHidden value={about} options={ABOUT} onChange={setAbout} />
          <Choice label="When" isLabelHidden value={days} options={PERIODS} onChange={setDays} />
          <button type="button" disabled={found.length === 0} onClick={() => save(found)}>
            Export {found.length.toLocaleString('en')}
          </button>
        </div>
      )}
      <p class="quiet small-text">
        Each is an entry of the log. <code>writecheck audit changes</code> lists them from an export, proven.
      </p>
      {value === null ? (
        failure === null && <Skeleton />
      ) : found.length === 0 ? (
        <p class="quiet">No matches.</p>
      ) : (
        <DataTable
          kind="panel stacks"
          caption="Changes to keys, policies, freezes, people and reviews, newest first"
          rows={shown}
          idOf={({ at, what }) => `${at} ${what}`}
          columns={[
            { name: 'when', head: 'When', kind: 'when-full', cell: ({ at }) => <Moment at={at} as="full" /> },
            {
              name: 'what',
              head: 'What',
              cell: ({ what, path }) =>
                path === null ? (
                  <Told text={what} />
                ) : (
                  <a class="target" href={href(path)}>
                    <Told text={what} />
                  </a>
                ),
            },
            {
              name: 'amount',
              head: 'Amount',
              kind: 'number',
              cell: ({ amount }) => amount != null && <RevealedText text={amount} />,
            },
            {
              name: 'by',
              head: 'By',
              cell: ({ by }) => (
                <>
                  <span class="phone-only quiet">by </span>
                  {by === null ? <span class="quiet">not recorded</span> : <Told text={by} />}
                </>
              ),
            },
          ]}
        />
      )}
      {found.length > shown.length && (
        <p>
          <button type="button" onClick={() => setAreAllShown(true)}>
            Show all {found.length.toLocaleString('en')}
          </button>
        </p>
      )}
    </section>
  );
}
