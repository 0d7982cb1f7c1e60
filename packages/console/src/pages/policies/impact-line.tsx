/** What a bundle would have changed in the last 7 days, in one sentence, inside the dialog that applies it. */
import type { ImpactReport } from '@writecheck/api';
import { useEffect } from 'preact/hooks';
import { counted } from '../../components/counted.ts';
import { Changes, MoreReviews, NotReplayed, soFar } from './impact-report.tsx';
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
  const { report, progress, failure, isRunning, isPending, start } = trial;
  useEffect(() => {
    if (report === null && !isRunning) start();
  }, []);
  return (
    <div class="impact-line">
      <h3>Last 7 days under this policy</h3>
      <p role="status">
        {failure !== null
          ? failure.code === 'run_in_progress'
            ? NEXT_RUN
            : `The replay failed: ${failure.message}`
          : report === null
            ? `Replaying …${soFar(progress)}`
            : inOneSentence(report)}
      </p>
      {isPending && (
        <progress aria-label="Replayed" value={progress?.done ?? 0} max={Math.max(1, progress?.total ?? 1)} />
      )}
      {report !== null && (
        <>
          <NotReplayed coverage={report.coverage} />
          <MoreReviews report={report} />
          <Changes report={report} />
          {isLoose && report.newlyAllowed.decisions === 0 && (
            <p>The replay covers only past writes. Writes unlike them may now pass.</p>
          )}
        </>
      )}
    </div>
  );
}

function inOneSentence({ coverage, newlyAllowed, newlyStopped }: ImpactReport): string {
  if (coverage.replayed === 0) return 'No live decisions to replay.';
  const [allowed, stopped] = [newlyAllowed, newlyStopped].map(({ decisions }) =>
    decisions === 0 ? 'none' : decisions.toLocaleString('en'),
  );
  const of = counted(coverage.replayed, 'past decision');
  return `Compared with the live policy: ${allowed} newly allowed, ${stopped} newly stopped, of ${of}.`;
}
