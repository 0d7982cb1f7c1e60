/** Tries the edited bundle on recorded traffic before it is applied, and shows what would change. */
import { cancelRun } from '../../calls/impact.ts';
import type { DocumentChange } from '../../components/policy/examine-policies.ts';
import { ImpactReport } from './impact-report.tsx';
import { RunFailure } from './run-failure.tsx';
import type { Trial } from './use-trial.ts';

/** The button; what it finds stands beside the editor. */
export function TryButton({
  trial: { runningId, isStarting, start },
  isLive,
  isValid,
}: {
  readonly trial: Trial;
  readonly isLive: boolean;
  readonly isValid: boolean;
}) {
  return runningId === null ? (
    <button type="button" disabled={!isValid || isStarting || isLive} onClick={start}>
      Try it on the last 30 days
    </button>
  ) : (
    <button type="button" onClick={() => cancelRun(runningId)}>
      Stop the trial
    </button>
  );
}

/** Nothing once the text is live: what it would change is then of the past. */
export function TrialFound({
  trial: { shown, failure },
  changes,
  isLive,
}: {
  readonly trial: Trial;
  readonly changes: readonly DocumentChange[];
  readonly isLive: boolean;
}) {
  return (
    <>
      <RunFailure failure={failure} />
      {shown !== null && !isLive && <ImpactReport shown={shown} changes={changes} />}
    </>
  );
}
