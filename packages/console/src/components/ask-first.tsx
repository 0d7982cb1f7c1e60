/** Asks before an action that cannot be undone. Escape and the first button cancel. */
import { useEffect, useRef } from 'preact/hooks';

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
  readonly action: string;
  /** For an action that is itself called cancel. */
  readonly dismissal?: string;
  readonly isDangerous?: boolean;
  readonly isBusy?: boolean;
  readonly children: preact.ComponentChildren;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="ask-first" onClose={onCancel}>
      <h2 id="ask-first">{title}</h2>
      {children}
      <div class="row dialog-actions">
        <button type="button" onClick={onCancel}>
          {dismissal}
        </button>
        <button
          type="button"
          class={isDangerous ? 'danger' : 'primary'}
          disabled={isBusy}
          onClick={onConfirm}
        >
          {action}
        </button>
      </div>
    </dialog>
  );
}
