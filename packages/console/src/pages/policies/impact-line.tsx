/** What a bundle would have changed in the last 30 days, in one sentence, inside the dialog that applies it. */
import { useEffect } from 'preact/hooks';
import type { RunAndReport } from '../../calls/impact.ts';
import { counted } from '../../components/counted.ts';
import { Changes, MoreReviews, NotReplayed } from './impact-report.tsx';
import { NEXT_RUN } from './run-failure.tsx';
import type { Trial } from './use-trial.ts';

/** Shares the page's trial: a workspace has one run at a time, so another one would be refused. */
export function ImpactLine({
  trial,
  isLoose = false,
}: {
  readonly trial: Trial;
  /** Whether the bundle may loosen: then a replay that allows nothing more is no promise. */
  readonly isLoose?: boolean;
}) {
  const { shown, failure, runningId, isStarting, isPending, start } = trial;
  useEffect(() => {
    if (shown === null && runningId === null && !isStarting) start();
  }, []);
  const { run, report } = shown ?? {};
  return (
    <div class="impact-line">
      <h3>Last 30 days under this policy</h3>
      <p role="status">
        {failure !== null
          ? failure.code === 'run_in_progress'
            ? NEXT_RUN
            : `The replay failed: ${failure.message}`
          : isPending || run === undefined
            ? `Replaying …${run === undefined || run.progress.total === 0 ? '' : ` ${soFar(run)}`}`
            : run.state === 'done'
              ? inOneSentence(report!)
              : 'The replay stopped before its end.'}
      </p>
      {failure === null && isPending && (
        <progress
          aria-label="Replayed"
          value={run?.progress.done ?? 0}
          max={Math.max(1, run?.progress.total ?? 1)}
        />
      )}
      {run?.state === 'done' && <NotReplayed coverage={report!.coverage} />}
      {shown !== null && <MoreReviews shown={shown} />}
      {run?.state === 'done' && <Changes report={report!} />}
      {isLoose && run?.state === 'done' && report!.newlyAllowed.decisions === 0 && (
        <p>The replay covers only past writes. Writes unlike them may now pass.</p>
      )}
    </div>
  );
}

function soFar({ progress: { done, total } }: RunAndReport['run']): string {
  return `${done.toLocaleString('en')} of up to ${total.toLocaleString('en')}`;
}

function inOneSentence({ coverage, newlyAllowed, newlyStopped }: RunAndReport['report']): string {
  if (coverage.replayed === 0) return 'No live decisions to replay.';
  const [allowed, stopped] = [newlyAllowed, newlyStopped].map(({ decisions }) =>
    decisions === 0 ? 'none' : decisions.toLocaleString('en'),
  );
  const of = counted(coverage.replayed, 'past decision');
  return `Compared with the live policy: ${allowed} newly allowed, ${stopped} newly stopped, of ${of}.`;
}
