/** What is only observed, and which decisions it would change: the page to look at before enforcing. */
import { useMemo } from 'preact/hooks';
import { ErrorNote } from '../components/error-note.tsx';
import { Moment } from '../components/moment.tsx';
import { href } from '../state/route.ts';
import { useLoad } from '../use-load.ts';
import { DecisionTable } from './decisions-parts/decision-table.tsx';
import { countDecisions, nowThere } from './decisions-parts/decisions-api.ts';
import { useDecisionPages } from './decisions-parts/use-decision-pages.ts';
import { readBundle } from './policies-parts/policies-api.ts';
import { LOOKED_INTO_MAX, observersOf, whatWouldChange } from './workspace-parts/observed.ts';
import './pieces.css';
import './decisions-parts/decisions.css';
import './workspace-parts/workspace.css';

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
  const pages = useDecisionPages('observed', () => ({ warn: 'true' }), true);
  const failure = bundle.failure ?? changed.failure ?? pages.failure;
  const observers = useMemo(() => observersOf(bundle.value?.documents ?? [], Date.now()), [bundle.value]);
  const warned = (counts.value?.counts ?? []).reduce((sum, { warn }) => sum + warn, 0);
  const all = (counts.value?.counts ?? []).reduce(
    (sum, each) => sum + each.allow + each.pause + each.block,
    0,
  );
  const retry = () => {
    for (const each of [bundle, changed, counts, pages]) each.reload();
  };
  return (
    <div class="page">
      <div class="lead">
        <h1>Observe</h1>
        <p class="quiet">
          Policies in observe mode record what they would have done and change no decision. Look here before
          you enforce them.
        </p>
      </div>
      {failure !== null && <ErrorNote failure={failure} onRetry={retry} />}
      <section class="card" aria-labelledby="observers">
        <h2 id="observers">What observes</h2>
        {bundle.value === null ? (
          <p class="quiet">Loading …</p>
        ) : observers.length === 0 ? (
          <p class="quiet">
            Nothing does: all that runs is enforced. A profile with <code>writePolicy: observe</code> would be
            listed here.
          </p>
        ) : (
          <table>
            <caption class="hidden">What observes, and which decisions it would change</caption>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col" class="wide-only">
                  Until
                </th>
                <th scope="col">Would have changed</th>
              </tr>
            </thead>
            <tbody>
              {observers.map((observer) => {
                const own = (changed.value ?? []).filter(({ by }) => by.includes(observer.ref));
                return (
                  <tr key={observer.ref}>
                    <th scope="row">
                      {observer.kind === 'Defaults' ? (
                        'the workspace’s default'
                      ) : (
                        <a href={href('/policies/map', { find: observer.id })}>{observer.id}</a>
                      )}
                      <span class="key-line small-text quiet">{observer.kind.toLowerCase()}</span>
                    </th>
                    <td class="wide-only">
                      {observer.until === null ? (
                        <span class="quiet">somebody changes it</span>
                      ) : (
                        <Moment at={observer.until} />
                      )}
                    </td>
                    <td>
                      {own.length === 0 ? (
                        <span class="quiet">nothing lately</span>
                      ) : (
                        <>
                          {own.length}{' '}
                          <span class="quiet">
                            of the newest {changed.value?.length ?? 0}
                            {own.some(({ decision }) => decision.evaluatedDecision === 'block') &&
                              ', some of them to block'}
                          </span>
                        </>
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        )}
        <p class="quiet small-text">
          This table looks at the newest {LOOKED_INTO_MAX}; the list below has all of them.
        </p>
      </section>
      <section class="observed-list" aria-labelledby="would">
        <h2 id="would">
          Would be decided otherwise{' '}
          {counts.value !== null && (
            <span class="quiet small-text">
              {warned.toLocaleString('en')} of {all.toLocaleString('en')} decisions in {DAYS} days
            </span>
          )}
        </h2>
        <DecisionTable
          pages={pages}
          caption="Decisions that would be decided otherwise, newest first"
          empty={
            <>
              <p>
                <strong>Nothing yet</strong>
              </p>
              <p class="quiet">Enforcing what observes would change no decision.</p>
            </>
          }
        />
      </section>
    </div>
  );
}
