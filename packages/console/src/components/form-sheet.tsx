/** The one form for something new: it stands at the side, so that the list stays in sight and grows no taller. */
import { useState } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';

export function FormSheet({
  title,
  action,
  isReady = true,
  isDangerous = false,
  onSubmit,
  onClose,
  children,
}: {
  readonly title: string;
  readonly action: string;
  /** False while a choice that the browser cannot check is missing. */
  readonly isReady?: boolean;
  readonly isDangerous?: boolean;
  /** Resolves to why it failed. */
  readonly onSubmit: () => Promise<Failure | null>;
  readonly onClose: () => void;
  readonly children: preact.ComponentChildren;
}) {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setIsBusy(true);
    setFailure(null);
    const refused = await onSubmit();
    setIsBusy(false);
    if (refused === null) onClose();
    else setFailure(refused);
  };
  return (
    <Dialog kind="sheet" title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {children}
        {failure !== null && <ErrorNote failure={failure} />}
        <div class="row">
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={isBusy || !isReady}>
            {action}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
