/** All policy revisions, with rollback. */
import type { PolicyRevision } from '@writecheck/api';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { listRevisions, readRevision } from '../../calls/policies.ts';
import { ACTIONS, DataTable } from '../../components/data-table.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Moment } from '../../components/moment.tsx';
import type { Names } from '../../components/names-of.ts';
import { PageHead } from '../../components/page.tsx';
import { countsInWords } from '../../components/policy/counts-in-words.ts';
import { draft } from '../../components/policy/draft.ts';
import { print } from '../../components/policy/policy-desk.ts';
import { useRevisionChanges } from '../../components/policy/use-revision-changes.ts';
import { CallerText } from '../../components/text.tsx';
import { useNames } from '../../components/use-names.ts';
import { go, replacePlace, usePlace } from '../../state/route.ts';
import { useRight, useSession } from '../../state/session.ts';
import { useLoad } from '../../use-load.ts';
import { CompareRevisions } from './compare-revisions.tsx';
import { RollBack } from './roll-back.tsx';

const SHOWN_MAX = 100;

export default function PolicyRevisions() {
  const workspace = useSession()?.workspace.id ?? '';
  const { value, failure: unloaded, readAt, reload } = useLoad('revisions', listRevisions);
  const names = useNames();
  const mayWrite = useRight('rollBackPolicies');
  const [wanted, setWanted] = useState<PolicyRevision | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const revisions = value?.revisions ?? [];
  const running = revisions[0];
  const changes = useRevisionChanges(revisions.map(({ revision }) => revision));
  const { query } = usePlace();
  const shown = Number(query.get('show') ?? running?.revision ?? 0);
  // A link that names a revision leads to what it changed.
  const leadsToChange = useRef(query.has('show'));
  useEffect(() => {
    if (!leadsToChange.current || running === undefined) return;
    leadsToChange.current = false;
    document.getElementById('compare')?.scrollIntoView();
  }, [running]);
  const compared = { from: Number(query.get('from') ?? Math.max(0, shown - 1)), to: shown };

  const openInEditor = async (revision: number) => {
    setFailure(null);
    const outcome = await readRevision(revision);
    if (outcome.kind === 'failure') return setFailure(outcome);
    // The editor compares it with the live revision.
    const basedOn = { revision: running?.revision ?? 0, digest: running?.digest ?? null };
    const text = (await print(outcome.value.documents)) ?? '';
    draft.set({ workspace, text, basedOn, isEdited: true });
    go('/policies');
  };
  return (
    <div class="page">
      <PageHead title="Policy revisions" />
      <ErrorNote failure={unloaded} onRetry={reload} readAt={readAt} />
      {done !== null && (
        <p class="note note-good" role="status">
          {done}
        </p>
      )}
      <ErrorNote failure={failure} />
      {value !== null && revisions.length === 0 && (
        <p class="quiet">No revisions yet. Each policy you apply is listed here.</p>
      )}
      {revisions.length > 0 && (
        <DataTable
          caption="Revisions, newest first"
          rows={revisions.slice(0, SHOWN_MAX)}
          idOf={({ revision }) => String(revision)}
          columns={[
            {
              head: 'Revision',
              isName: true,
              cell: (revision) => (
                <>
                  {revision.revision}
                  {revision === running && (
                    <>
                      {' '}
                      <span class="chip running">live</span>
                    </>
                  )}
                  {revision.rollbackOf !== null && (
                    <span class="quiet small-text"> rollback to {revision.rollbackOf}</span>
                  )}
                  {revision.message !== null && (
                    <span class="line revision-said">
                      <CallerText text={revision.message} />
                    </span>
                  )}
                  {changes.has(revision.revision) && (
                    <span class="line quiet small-text">
                      {countsInWords(changes.get(revision.revision)!)}
                    </span>
                  )}
                </>
              ),
            },
            {
              head: 'Applied',
              cell: ({ createdAt, digest }) => (
                <>
                  <Moment at={createdAt} as="full" />
                  <code class="digest small-text quiet">{digest.slice(7, 19)}</code>
                </>
              ),
            },
            {
              head: 'By',
              kind: 'wide-only',
              cell: (revision) => <Author of={revision} names={names} />,
            },
            {
              ...ACTIONS,
              cell: (revision) => (
                <>
                  <button type="button" class="small" onClick={() => openInEditor(revision.revision)}>
                    Open<span class="hidden"> revision {revision.revision} in the editor</span>
                  </button>
                  {mayWrite && revision.digest !== running?.digest && (
                    <button
                      type="button"
                      class="small"
                      onClick={() => {
                        setDone(null);
                        setWanted(revision);
                      }}
                    >
                      Roll back<span class="hidden"> to revision {revision.revision}</span>
                    </button>
                  )}
                </>
              ),
            },
          ]}
        />
      )}
      {running !== undefined && (
        <CompareRevisions
          revisions={revisions}
          from={compared.from}
          to={compared.to}
          onChange={(from, to) =>
            replacePlace('/policies/revisions', { from: String(from), show: String(to) })
          }
        />
      )}
      {revisions.length > SHOWN_MAX && <p class="quiet">and {revisions.length - SHOWN_MAX} earlier</p>}
      {wanted !== null && (
        <RollBack
          to={wanted}
          onDone={(revision) => {
            setDone(`Revision ${revision} is live. It re-applies revision ${wanted.revision}.`);
            setWanted(null);
            reload();
          }}
          onCancel={() => setWanted(null)}
        />
      )}
    </div>
  );
}

/** The name of the person or key, or its ID if the workspace does not list it to this user. */
function Author({
  of: { authorKeyId, authorPersonId },
  names,
}: {
  readonly of: PolicyRevision;
  readonly names: Names;
}) {
  const author = authorPersonId ?? authorKeyId;
  if (author === null) return <>policy folder</>;
  const name = names.get(author);
  return name === undefined ? (
    <code>{author}</code>
  ) : (
    <span title={author}>
      <CallerText text={name} />
    </span>
  );
}
