/** Tries the edited bundle on recorded traffic before it is applied, and shows what would change. */
import { cancelRun } from '../../calls/impact.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { ImpactReport } from './impact-report.tsx';
import type { Trial } from './use-trial.ts';
import './impact.css';

export function ImpactTrial({
  trial: { shown, failure, runningId, isStarting, start },
  isLive,
  isValid,
}: {
  readonly trial: Trial;
  /** Whether the text is live by now; what it would change is then of the past. */
  readonly isLive: boolean;
  readonly isValid: boolean;
}) {
  return (
    <>
      {runningId === null ? (
        <button type="button" disabled={!isValid || isStarting || isLive} onClick={start}>
          Try it on the last 30 days
        </button>
      ) : (
        <button type="button" onClick={() => cancelRun(runningId)}>
          Stop the trial
        </button>
      )}
      {failure !== null && (
        <div class="impact">
          <ErrorNote failure={failure} />
        </div>
      )}
      {shown !== null && !isLive && <ImpactReport shown={shown} />}
    </>
  );
}
