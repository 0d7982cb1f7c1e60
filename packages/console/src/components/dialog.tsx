/** The one dialog: modal, named by its title or label, closed by Escape. */
import { useLayoutEffect, useRef } from 'preact/hooks';

export function Dialog({
  title,
  label,
  kind = '',
  onClose,
  onKeyDown,
  children,
}: {
  readonly title?: preact.ComponentChildren;
  /** Instead of a title, for one that explains itself. */
  readonly label?: string;
  /** `sheet` stands at the side of the page, `palette` at its top. */
  readonly kind?: '' | 'sheet' | 'palette';
  readonly onClose: () => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly children: preact.ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key is pressed, or that key would go to the page behind it.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class={kind}
      aria-label={label}
      aria-labelledby={label === undefined ? 'dialog-title' : undefined}
      onClose={onClose}
      onKeyDown={onKeyDown}
    >
      {title !== undefined && <h2 id="dialog-title">{title}</h2>}
      {children}
    </dialog>
  );
}

/** Left of the buttons. */
export function ConfirmHint() {
  return (
    <span class="quiet small-text wide-only keys-hint">
      <kbd>Ctrl</kbd> <kbd>Enter</kbd> confirms
    </span>
  );
}
