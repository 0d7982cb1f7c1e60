/** Policies in observe mode, and the decisions they would change if enforced. */

import { DAY_MS } from '@writecheck/contract';
import { useMemo } from 'preact/hooks';
import { countDecisions, nowThere } from '../../calls/decisions.ts';
import { readBundle } from '../../calls/policies.ts';
import { DataTable } from '../../components/data-table.tsx';
import { DecisionTable } from '../../components/decision/decision-table.tsx';
import { useDecisionPages } from '../../components/decision/use-decision-pages.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { Empty, PageHead, Section, Skeleton } from '../../components/page.tsx';
import { type Changed, observersOf, whatWouldChange } from '../../components/policy/observed.ts';
import { href } from '../../state/route.ts';
import { together, useLoad } from '../../use-load.ts';

const DAYS = 30;

export default function Observe() {
  const bundle = useLoad('bundle', readBundle);
  const changed = useLoad('changed', whatWouldChange);
  const counts = useLoad('observed counts', async (signal) => {
    const nowMs = await nowThere(signal);
    const from = new Date(nowMs - DAYS * DAY_MS).toISOString();
    return countDecisions({ from, to: new Date(nowMs + DAY_MS).toISOString(), step: 'day' }, signal);
  });
  const pages = useDecisionPages('observed', () => ({ warn: 'true' }), true);
  const { failure, readAt, reload } = together(bundle, changed, counts, pages);
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
                head: 'Would change',
                cell: ({ ref }) =>
                  counts.value !== null && <Seen by={ref} changed={changed.value} warned={warned} />,
              },
            ]}
          />
        )}
      </Section>
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
            <Empty title="None yet">
              {observers.length === 0
                ? 'No policy observes.'
                : 'Enforcing these policies would change no decision.'}
            </Empty>
          }
        />
      </Section>
    </div>
  );
}

/** Only the newest decisions are read one by one; their mix stands for all that would change. */
function Seen({
  by: ref,
  changed,
  warned,
}: {
  readonly by: string;
  /** Null until they are read. */
  readonly changed: readonly Changed[] | null;
  /** How many would change. */
  readonly warned: number;
}) {
  if (changed === null) return null;
  const own = changed.filter(({ by }) => by.includes(ref));
  const newest = own[0];
  if (newest === undefined) return <span class="quiet">nothing lately</span>;
  const isAll = changed.length >= warned;
  const count = isAll ? own.length : Math.round((warned * own.length) / changed.length);
  return (
    <>
      <strong>
        {own.length < changed.length && !isAll && 'about '}
        {count.toLocaleString('en')}
      </strong>{' '}
      {count === 1 ? 'decision' : 'decisions'} in {DAYS} days
      <span class="line quiet small-text">
        newest <Moment at={newest.decision.timestamp} as="ago" />
        {own.some(({ decision }) => decision.evaluatedDecision === 'block') && ', some to block'}
      </span>
    </>
  );
}
