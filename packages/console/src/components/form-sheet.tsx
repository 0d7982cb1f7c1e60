/** The one form for something new: it stands at the side, so that the list stays in sight and grows no taller. */

import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Failure, Reply } from '../api.ts';
import { ConfirmHint, Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';
import { FieldFault, faultAt, withoutPlaced } from './field-fault.tsx';

export function FormSheet<T>({
  title,
  action,
  isReady = true,
  isDangerous = false,
  placed = [],
  send,
  onDone,
  onClose,
  children,
}: {
  readonly title: string;
  readonly action: string;
  /** False while a choice that the browser cannot check is missing. */
  readonly isReady?: boolean;
  readonly isDangerous?: boolean;
  /** The members whose faults the form shows at their fields. */
  readonly placed?: readonly string[];
  readonly send: () => Promise<Reply<T>>;
  /** Before it closes. */
  readonly onDone: (value: T) => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren | ((faultOf: (member: string) => string | null) => ComponentChildren);
}) {
  const form = useRef<HTMLFormElement>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [missing, setMissing] = useState<string | null>(null);
  const [refusals, setRefusals] = useState(0);
  // The refused field may be out of view.
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [refusals]);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const fields = [...(event.currentTarget as HTMLFormElement).elements] as HTMLInputElement[];
    const wrong = fields.find((field) => !field.checkValidity());
    setMissing(wrong === undefined ? null : whatIsWrong(wrong));
    if (wrong !== undefined) return wrong.focus();
    setIsBusy(true);
    setFailure(null);
    const reply = await send();
    setIsBusy(false);
    if (reply.kind === 'success') {
      onDone(reply.value);
      return onClose();
    }
    setFailure(reply);
    setRefusals((count) => count + 1);
  };
  const rest = useMemo(() => failure && withoutPlaced(failure, placed), [failure]);
  return (
    <Dialog
      kind="sheet"
      title={title}
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && isReady && !isBusy)
          form.current?.requestSubmit();
      }}
    >
      <form ref={form} noValidate onSubmit={submit}>
        {typeof children === 'function' ? children((member) => faultAt(failure, member)) : children}
        <FieldFault text={missing} />
        <ErrorNote failure={rest} />
        <div class="row dialog-actions">
          <ConfirmHint />
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? 'danger' : 'primary'} disabled={isBusy || !isReady}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** In our words for an empty field; a browser knows best what else is wrong. */
function whatIsWrong({ validity, validationMessage, labels }: HTMLInputElement): string {
  const first = labels?.[0]?.firstChild;
  // Its words, without that it is required.
  const name = (first?.firstChild ?? first)?.textContent?.trim() ?? 'every field';
  return validity.valueMissing ? `Fill in “${name}”.` : `${name}: ${validationMessage}`;
}
