/** Asks before a stricter bundle is applied, with what it would have changed in the last 30 days. */
import { AskFirst } from '../../components/ask-first.tsx';
import type { DocumentChange } from '../../components/policy/examine-policies.ts';
import { Told } from '../../components/text.tsx';
import { ImpactLine } from './impact-line.tsx';
import { OutdatedReviews } from './outdated-reviews.tsx';
import type { Trial } from './use-trial.ts';

const FINDINGS_MAX = 8;

export function ApplyDialog({
  title,
  action,
  changes,
  outdatedReviews,
  trial,
  children,
  onConfirm,
  onCancel,
}: {
  readonly title: string;
  /** Such as `Apply`. */
  readonly action: string;
  readonly changes: readonly DocumentChange[];
  /** The controls whose review rule changes. */
  readonly outdatedReviews: readonly string[];
  readonly trial: Trial;
  readonly children: preact.ComponentChildren;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}) {
  const findings = changes.flatMap(({ kind, id, findings: own }) =>
    own.map(({ pointer, message }) => ({ key: `${kind} ${id} ${pointer} ${message}`, id, message })),
  );
  return (
    <AskFirst
      title={title}
      action={`${action} ${trial.isPending ? 'without waiting' : 'now'}`}
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
      {children}
      {findings.length === 0 ? (
        <p>No rule becomes stricter or looser.</p>
      ) : (
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
      )}
      <OutdatedReviews controls={outdatedReviews} />
      <ImpactLine trial={trial} />
    </AskFirst>
  );
}
