/** The report of a trial: what the bundle would newly stop and newly allow. */
import { Told } from '../../components/told.tsx';
import { href } from '../../state/route.ts';
import type { Changed, ImpactRun } from './impact-api.ts';

const ROWS_MAX = 5;

export function ImpactReport({ shown }: { readonly shown: ImpactRun }) {
  const { run, report } = shown;
  const { coverage, newlyStopped, newlyAllowed } = report;
  const { done, total } = run.progress;
  return (
    <section class="card impact" aria-labelledby="impact">
      <h2 id="impact">Impact on the last 30 days</h2>
      <p role="status" class="quiet">
        {run.state === 'running'
          ? `Replaying: ${done.toLocaleString('en')} of up to ${total.toLocaleString('en')} decisions`
          : run.state === 'done'
            ? `Replayed ${coverage.replayed.toLocaleString('en')} of ${coverage.decisions.toLocaleString('en')} decisions`
            : `The trial ${run.state === 'failed' ? 'failed' : 'was stopped'}. These are the counts so far.`}
      </p>
      {run.state === 'running' && <progress aria-label="Replayed" value={done} max={Math.max(1, total)} />}
      {run.because !== null && (
        <p class="note note-bad">
          <Told text={run.because} />
        </p>
      )}
      {run.state === 'done' && coverage.decisions === 0 ? (
        <p>No live decisions in the last 30 days, so there is nothing to try it on.</p>
      ) : (
        <>
          <Change title="Newly stopped" changed={newlyStopped} />
          <Change title="Newly allowed" changed={newlyAllowed} />
        </>
      )}
    </section>
  );
}

function Change({ title, changed }: { readonly title: string; readonly changed: Changed }) {
  const { decisions, intents, share, agents, objects } = changed;
  if (decisions === 0) return <p>{title}: none</p>;
  return (
    <>
      <h3>
        {title}: {decisions.toLocaleString('en')} decisions ({(share * 100).toFixed(1)} %)
      </h3>
      <p class="quiet">
        {intents.toLocaleString('en')} different writes, {objects.toLocaleString('en')} objects,{' '}
        {agents.toLocaleString('en')} agents
      </p>
      <ul>
        {changed.byCode.slice(0, ROWS_MAX).map(({ code, decisions: count }) => (
          <li key={code}>
            <code>{code}</code>: {count.toLocaleString('en')}
          </li>
        ))}
        {changed.byProfile.slice(0, ROWS_MAX).map(({ profile, decisions: count }) => (
          <li key={profile}>
            {profile === null ? 'no profile' : <code>{profile}</code>}: {count.toLocaleString('en')}
          </li>
        ))}
        {changed.examples.slice(0, ROWS_MAX).map(({ decision_id, before, after }) => (
          <li key={decision_id}>
            <a href={href(`/decisions/${decision_id}`)}>{decision_id}</a>: {before.decision} →{' '}
            {after.decision}, <code>{after.reason_code}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
