/** Why a replay did not start: a workspace has one at a time, so another one is no error. */
import type { Failure } from '../../api.ts';
import { ErrorNote } from '../../components/error-note.tsx';

export const NEXT_RUN = 'Another trial is running. This one starts when that is done.';

export function RunFailure({ failure }: { readonly failure: Failure | null }) {
  if (failure?.code !== 'run_in_progress') return <ErrorNote failure={failure} />;
  return (
    <div class="note note-warn row" role="alert">
      <p>{NEXT_RUN}</p>
    </div>
  );
}
