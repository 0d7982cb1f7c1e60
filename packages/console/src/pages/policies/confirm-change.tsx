/** Asks before a bundle replaces the live one, whether it is new or an earlier one: what loosens or tightens, the replay, and which reviews end. */

import type { ComponentChildren } from 'preact';
import type { Failure } from '../../api.ts';
import type { LooseningDetail } from '../../calls/policies.ts';
import { AskFirst } from '../../components/ask-first.tsx';
import type { DocumentChange, Examined } from '../../components/policy/examine-policies.ts';
import { Told } from '../../components/text.tsx';
import { ImpactLine } from './impact-line.tsx';
import { LooseningDialog } from './loosening-dialog.tsx';
import { OutdatedReviews } from './outdated-reviews.tsx';
import type { Trial } from './use-trial.ts';

export function ConfirmChange({
  title,
  what = 'This change',
  action,
  text,
  examined: { changes, examples, outdatedReviews },
  trial,
  failure,
  reason,
  children,
  onConfirm,
  onCancel,
}: {
  /** The question if nothing loosens. */
  readonly title: string;
  /** The subject of the title if something may. */
  readonly what?: string;
  /** Such as `Apply`. */
  readonly action: string;
  readonly text: string;
  readonly examined: Extract<Examined, { kind: 'valid' }>;
  readonly trial: Trial;
  /** Why the service refused; it may see a loosening that this page does not. */
  readonly failure: Failure | null;
  readonly reason: { readonly text: string; readonly set: (text: string) => void };
  readonly children?: ComponentChildren;
  /** The argument says whether the user confirmed a loosening. */
  readonly onConfirm: (isConfirmed: boolean) => void;
  readonly onCancel: () => void;
}) {
  const refused = failure?.code === 'loosening_unconfirmed' ? failure.details : null;
  if (refused === null && !changes.some(({ isLoose }) => isLoose))
    return (
      <AskFirst
        title={title}
        action={`${action} ${trial.isPending ? 'without waiting' : 'now'}`}
        onConfirm={() => onConfirm(false)}
        onCancel={onCancel}
      >
        {children}
        <Stricter changes={changes} />
        <OutdatedReviews controls={outdatedReviews} />
        <ImpactLine trial={trial} />
      </AskFirst>
    );
  const found: readonly LooseningDetail[] = examples.map((example) => ({
    pointer: '',
    message: '',
    example,
  }));
  return (
    <LooseningDialog
      // Asking an owner sends nothing to the service, which might find that an author may apply it.
      details={refused ?? found}
      what={what}
      action={action}
      reason={reason}
      edited={{ text, trial, outdatedReviews, changes }}
      onConfirm={() => onConfirm(true)}
      onCancel={onCancel}
    >
      {children}
    </LooseningDialog>
  );
}

const FINDINGS_MAX = 8;

function Stricter({ changes }: { readonly changes: readonly DocumentChange[] }) {
  const findings = changes.flatMap(({ kind, id, findings: own }) =>
    own.map(({ pointer, message }) => ({ key: `${kind} ${id} ${pointer} ${message}`, id, message })),
  );
  if (findings.length === 0) return <p>No rule becomes stricter or looser.</p>;
  return (
    <>
      <p>Nothing loosens. It becomes stricter:</p>
      <ul class="tight-list">
        {findings.slice(0, FINDINGS_MAX).map(({ key, id, message }) => (
          <li key={key}>
            {id !== '' && (
              <>
                <strong>{id}</strong>:{' '}
              </>
            )}
            <Told text={message} />
          </li>
        ))}
      </ul>
      {findings.length > FINDINGS_MAX && (
        <p class="quiet">and {findings.length - FINDINGS_MAX} more changes</p>
      )}
    </>
  );
}
