/** Who may sign evidence: the sources of the live policy and their keys, and which controls accept them. */
import { revealedPlain } from '@writecheck/contract';
import type { EvidenceSourceDocument, PolicyDocument } from '@writecheck/engine';
import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { readBundle } from '../calls/policies.ts';
import { DataTable } from '../components/data-table.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Choice, TextField } from '../components/field.tsx';
import { Empty, Loaded, PageHead, Section } from '../components/page.tsx';
import { CallerText } from '../components/text.tsx';
import { href } from '../state/route.ts';
import { useRight } from '../state/session.ts';
import { useAct } from '../use-act.ts';
import { useLoad } from '../use-load.ts';

export default function EvidenceSources() {
  const load = useLoad('bundle', readBundle);
  return (
    <div class="page">
      <PageHead
        title="Evidence sources"
        lead={
          <>
            Systems that sign evidence. A signed approval or check counts only if its source and key are
            listed in your <a href={href('/policies')}>policy</a>.
          </>
        }
      />
      <Loaded load={load}>{({ documents }) => <Sources documents={documents} />}</Loaded>
    </div>
  );
}

function Sources({ documents }: { readonly documents: readonly PolicyDocument[] }) {
  const sources = documents.filter(isSource);
  if (sources.length === 0)
    return (
      <Empty title="No evidence sources">
        Add a document of kind <code>EvidenceSource</code> to your policy.
      </Empty>
    );
  return (
    <>
      {sources.map((source) => (
        <Source key={source.id} source={source} documents={documents} />
      ))}
      <Revoke sources={sources.map(({ id }) => id)} />
    </>
  );
}

function isSource(document: PolicyDocument): document is EvidenceSourceDocument {
  return document.kind === 'EvidenceSource';
}

function Source({
  source,
  documents,
}: {
  readonly source: EvidenceSourceDocument;
  readonly documents: readonly PolicyDocument[];
}) {
  const controls = documents.flatMap((document) =>
    document.kind === 'ControlPack'
      ? Object.entries(document.controls).flatMap(([id, control]) =>
          control.sources === undefined || control.sources.includes(source.id)
            ? [{ id, isSigned: control.assurance === 'attested' }]
            : [],
        )
      : [],
  );
  return (
    <section class="card" aria-labelledby={`source-${source.id}`}>
      <h2 id={`source-${source.id}`}>
        <CallerText text={source.id} />
      </h2>
      <DataTable
        kind=""
        caption="Keys of this source"
        rows={source.keys.keys}
        idOf={({ kid, x }) => kid ?? x ?? ''}
        columns={[
          {
            head: 'Key ID',
            isName: true,
            cell: ({ kid }) => <CallerText text={kid ?? 'unnamed'} />,
          },
          { head: 'Type', cell: ({ crv, kty }) => crv ?? kty },
          { head: 'Public key', cell: ({ x }) => <code>{x}</code> },
        ]}
      />
      <p class="small-text">
        <span class="quiet">Accepted for</span>{' '}
        {controls.length === 0 ? (
          <span class="quiet">no control</span>
        ) : (
          controls.map(({ id, isSigned }) => (
            <span key={id}>
              <span class="chip">
                <CallerText text={id} />
              </span>{' '}
              {isSigned && <span class="quiet">must be signed </span>}
            </span>
          ))
        )}
      </p>
    </section>
  );
}

function Revoke({ sources }: { readonly sources: readonly string[] }) {
  const [source, setSource] = useState(sources[0] ?? '');
  const [jti, setJti] = useState('');
  const { isBusy, failure, act } = useAct();
  const [done, setDone] = useState<string | null>(null);
  if (!useRight('revokeEvidence')) return null;
  const revoke = (event: Event) => {
    event.preventDefault();
    setDone(null);
    act(call('POST /v1/evidence/revocations', { json: { source, jti: jti.trim() } }), () => {
      setDone(jti.trim());
      setJti('');
    });
  };
  return (
    <Section title="Revoke signed evidence">
      <p class="quiet">From then on it blocks every write that names it. This can’t be undone.</p>
      <form onSubmit={revoke}>
        <Choice
          label="Source"
          value={source}
          options={sources.map((id) => [id, revealedPlain(id)] as const)}
          onChange={setSource}
        />
        <TextField
          label="Evidence ID"
          hint="its jti"
          required
          spellcheck={false}
          value={jti}
          onInput={setJti}
        />
        <ErrorNote failure={failure} />
        {done !== null && (
          <p class="note note-good" role="status">
            <CallerText text={done} /> is revoked.
          </p>
        )}
        <button type="submit" class="danger" disabled={isBusy}>
          Revoke
        </button>
      </form>
    </Section>
  );
}
