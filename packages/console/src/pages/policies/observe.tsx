/** Policies in observe mode, and the decisions they would change if enforced. */
import { useMemo, useState } from 'preact/hooks';
import { countDecisions, nowThere } from '../../calls/decisions.ts';
import { readBundle } from '../../calls/policies.ts';
import { ACTIONS, DataTable } from '../../components/data-table.tsx';
import { DecisionTable } from '../../components/decision/decision-table.tsx';
import { useDecisionPages } from '../../components/decision/use-decision-pages.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHead, Section, Skeleton } from '../../components/page.tsx';
import { type Changed, observersOf, whatWouldChange } from '../../components/policy/observed.ts';
import { href } from '../../state/route.ts';
import { useRight } from '../../state/session.ts';
import { together, useLoad } from '../../use-load.ts';
import { ObservedRate } from './observed-rate.tsx';
import { PromoteProfile } from './promote-profile.tsx';

const DAYS = 30;
const DAY_MS = 86_400_000;

export default function Observe() {
  const bundle = useLoad('bundle', readBundle);
  const changed = useLoad('changed', whatWouldChange);
  const counts = useLoad('observed counts', async (signal) => {
    const nowMs = await nowThere(signal);
    const from = new Date(nowMs - DAYS * DAY_MS).toISOString();
    return countDecisions({ from, to: new Date(nowMs + DAY_MS).toISOString(), step: 'day' }, signal);
  });
  const mayWrite = useRight('promoteProfile');
  const [promoting, setPromoting] = useState<string | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const pages = useDecisionPages('observed', () => ({ warn: 'true' }), true);
  const { failure, readAt } = together(bundle, changed, pages);
  const { reload } = together(bundle, changed, pages, counts);
  const observers = useMemo(() => observersOf(bundle.value?.documents ?? [], Date.now()), [bundle.value]);
  const warned = (counts.value?.counts ?? []).reduce((sum, { warn }) => sum + warn, 0);
  const checked = (counts.value?.counts ?? []).reduce(
    (sum, each) => sum + each.allow + each.pause + each.block,
    0,
  );
  return (
    <div class="page">
      <PageHead
        title="Observe"
        lead="Policies in observe mode record what they would have done and stop nothing. Check the impact before you enforce them."
      />
      <ErrorNote failure={failure} onRetry={reload} readAt={readAt} />
      <Section title="In observe mode">
        {bundle.value === null ? (
          <Skeleton lines={2} />
        ) : bundle.value.revision === 0 ? (
          <p class="quiet">
            No policy yet. <a href={href('/policies')}>Write one</a>.
          </p>
        ) : observers.length === 0 ? (
          <p class="quiet">
            None. All policies are enforced. Set <code>writePolicy: observe</code> to try a profile first.
          </p>
        ) : (
          <DataTable
            kind=""
            caption="Policies in observe mode, and the decisions they would change"
            rows={observers}
            idOf={({ ref }) => ref}
            columns={[
              {
                head: 'Name',
                isName: true,
                cell: ({ kind, id }) => (
                  <>
                    {kind === 'Defaults' ? (
                      'workspace default'
                    ) : (
                      <a href={href('/policies/map', { find: id })}>{id}</a>
                    )}
                    <span class="key-line small-text quiet">{kind.toLowerCase()}</span>
                  </>
                ),
              },
              {
                head: 'Until',
                kind: 'wide-only',
                cell: ({ until }) =>
                  until === null ? <span class="quiet">no end date</span> : <Moment at={until} />,
              },
              {
                head: 'Would have stopped',
                cell: ({ kind, id }) =>
                  mayWrite && kind === 'Profile' ? (
                    <ObservedRate key={bundle.value?.digest} profile={id} />
                  ) : (
                    <span class="quiet">–</span>
                  ),
              },
              { head: 'Seen lately', cell: ({ ref }) => <Seen by={ref} changed={changed.value ?? []} /> },
              {
                ...ACTIONS,
                cell: ({ kind, id }) =>
                  mayWrite &&
                  kind === 'Profile' && (
                    <button
                      type="button"
                      class="small"
                      onClick={() => {
                        setDone(null);
                        setPromoting(id);
                      }}
                    >
                      Enforce …<span class="hidden"> {id}</span>
                    </button>
                  ),
              },
            ]}
          />
        )}
      </Section>
      {done !== null && (
        <p class="note note-good" role="status">
          {done}
        </p>
      )}
      {promoting !== null && (
        <PromoteProfile
          key={promoting}
          profile={promoting}
          onDone={(revision) => {
            setDone(`Revision ${revision} is live. ${promoting} now enforces.`);
            setPromoting(null);
            reload();
          }}
          onClose={() => setPromoting(null)}
        />
      )}
      <Section
        kind="stack"
        title={
          <>
            Would change if enforced{' '}
            {counts.value !== null && (
              <span class="quiet small-text">
                {warned.toLocaleString('en')} of {checked.toLocaleString('en')} decisions in {DAYS} days
              </span>
            )}
          </>
        }
      >
        <DecisionTable
          pages={pages}
          caption="Decisions that would change if enforced, newest first"
          empty={
            <>
              <p>
                <strong>None yet</strong>
              </p>
              <p class="quiet">
                {observers.length === 0
                  ? 'No policy observes.'
                  : 'Enforcing these policies would change no decision.'}
              </p>
            </>
          }
        />
      </Section>
    </div>
  );
}

function Seen({ by: ref, changed }: { readonly by: string; readonly changed: readonly Changed[] }) {
  const own = changed.filter(({ by }) => by.includes(ref));
  if (own.length === 0) return <span class="quiet">nothing</span>;
  return (
    <>
      {own.length}{' '}
      <span class="quiet">
        of the newest {changed.length} below
        {own.some(({ decision }) => decision.evaluatedDecision === 'block') && ', some to block'}
      </span>
    </>
  );
}
