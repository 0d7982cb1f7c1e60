/** Asks before an action. Escape and the first button cancel; Ctrl+Enter confirms. */
import { ConfirmHint, Dialog } from './dialog.tsx';

export function AskFirst({
  title,
  action,
  dismissal = 'Cancel',
  isDangerous = false,
  isBusy = false,
  children,
  onConfirm,
  onCancel,
}: {
  readonly title: preact.ComponentChildren;
  /** Null if the user may only read it. */
  readonly action: string | null;
  /** For an action that is itself called cancel. */
  readonly dismissal?: string;
  readonly isDangerous?: boolean;
  readonly isBusy?: boolean;
  readonly children: preact.ComponentChildren;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}) {
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isBusy || action === null) return;
    event.preventDefault();
    onConfirm();
  };
  return (
    <Dialog title={title} onClose={onCancel} onKeyDown={press}>
      {children}
      <div class="row dialog-actions">
        {action !== null && <ConfirmHint />}
        <button type="button" onClick={onCancel}>
          {dismissal}
        </button>
        {action !== null && (
          <button
            type="button"
            class={isDangerous ? 'danger' : 'primary'}
            disabled={isBusy}
            onClick={onConfirm}
          >
            {action}
          </button>
        )}
      </div>
    </Dialog>
  );
}
