/** Policies in observe mode, and the decisions they would change if enforced. */
import { useMemo, useState } from 'preact/hooks';
import { countDecisions, nowThere } from '../../calls/decisions.ts';
import { readBundle } from '../../calls/policies.ts';
import { DecisionTable } from '../../components/decision/decision-table.tsx';
import { useDecisionPages } from '../../components/decision/use-decision-pages.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { observersOf, whatWouldChange } from '../../components/policy/observed.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { useRight } from '../../state/rights.ts';
import { href } from '../../state/route.ts';
import { together, useLoad } from '../../use-load.ts';
import { ObservedRate } from './observed-rate.tsx';
import { PromoteProfile } from './promote-profile.tsx';
import '../../style/pieces.css';
import '../../style/decisions.css';
import './policies.css';
import '../../style/workspace.css';

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
  const { failure } = together(bundle, changed, pages);
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
      <ErrorNote failure={failure} onRetry={reload} />
      <section class="card" aria-labelledby="observers">
        <h2 id="observers">In observe mode</h2>
        {bundle.value === null ? (
          <Skeleton lines={2} />
        ) : observers.length === 0 ? (
          <p class="quiet">
            None. All policies are enforced. Set <code>writePolicy: observe</code> to try a profile first.
          </p>
        ) : (
          <table>
            <caption class="hidden">Policies in observe mode, and the decisions they would change</caption>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col" class="wide-only">
                  Until
                </th>
                <th scope="col">Would have stopped</th>
                <th scope="col">Seen lately</th>
                <th scope="col">
                  <span class="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {observers.map((observer) => {
                const own = (changed.value ?? []).filter(({ by }) => by.includes(observer.ref));
                return (
                  <tr key={observer.ref}>
                    <th scope="row">
                      {observer.kind === 'Defaults' ? (
                        'workspace default'
                      ) : (
                        <a href={href('/policies/map', { find: observer.id })}>{observer.id}</a>
                      )}
                      <span class="key-line small-text quiet">{observer.kind.toLowerCase()}</span>
                    </th>
                    <td class="wide-only">
                      {observer.until === null ? (
                        <span class="quiet">no end date</span>
                      ) : (
                        <Moment at={observer.until} />
                      )}
                    </td>
                    <td>
                      {mayWrite && observer.kind === 'Profile' ? (
                        <ObservedRate key={bundle.value?.digest} profile={observer.id} />
                      ) : (
                        <span class="quiet">–</span>
                      )}
                    </td>
                    <td>
                      {own.length === 0 ? (
                        <span class="quiet">nothing</span>
                      ) : (
                        <>
                          {own.length}{' '}
                          <span class="quiet">
                            of the newest {changed.value?.length ?? 0} below
                            {own.some(({ decision }) => decision.evaluatedDecision === 'block') &&
                              ', some to block'}
                          </span>
                        </>
                      )}
                    </td>
                    <td class="actions">
                      {mayWrite && observer.kind === 'Profile' && (
                        <button
                          type="button"
                          class="small"
                          onClick={() => {
                            setDone(null);
                            setPromoting(observer.id);
                          }}
                        >
                          Enforce …<span class="hidden"> {observer.id}</span>
                        </button>
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        )}
      </section>
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
      <section class="observed-list" aria-labelledby="would">
        <h2 id="would">
          Would change if enforced{' '}
          {counts.value !== null && (
            <span class="quiet small-text">
              {warned.toLocaleString('en')} of {checked.toLocaleString('en')} decisions in {DAYS} days
            </span>
          )}
        </h2>
        <DecisionTable
          pages={pages}
          caption="Decisions that would change if enforced, newest first"
          empty={
            <>
              <p>
                <strong>None yet</strong>
              </p>
              <p class="quiet">Enforcing these policies would change no decision.</p>
            </>
          }
        />
      </section>
    </div>
  );
}
