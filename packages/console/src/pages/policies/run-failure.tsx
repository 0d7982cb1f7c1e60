/** Why a replay did not start: a workspace has one at a time, so another one is no error. */
import type { Failure } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';

export const OTHER_RUN = 'Another trial is running. Try again when it is done.';
export const NEXT_RUN = 'Another trial is running. This one starts when that is done.';

export function RunFailure({
  failure,
  text = OTHER_RUN,
  onRetry,
}: {
  readonly failure: Failure | null;
  /** Said if another run is the reason. */
  readonly text?: string;
  readonly onRetry?: () => void;
}) {
  if (failure?.code !== 'run_in_progress')
    return <ErrorNote failure={failure} {...(onRetry && { onRetry })} />;
  return (
    <div class="note note-warn row" role="alert">
      <p>{text}</p>
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
