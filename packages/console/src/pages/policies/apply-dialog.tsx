/** Asks before a stricter bundle is applied, with what it would have changed in the last 30 days. */
import { AskFirst } from '../../components/ask-first.tsx';
import type { DocumentChange } from '../../components/policy/examine-policies.ts';
import { Told } from '../../components/text.tsx';
import { ImpactLine } from './impact-line.tsx';
import { OutdatedReviews } from './outdated-reviews.tsx';
import type { Trial } from './use-trial.ts';

const FINDINGS_MAX = 8;

export function ApplyDialog({
  revision,
  changes,
  outdatedReviews,
  trial,
  onConfirm,
  onCancel,
}: {
  /** The number it will have. */
  readonly revision: number;
  readonly changes: readonly DocumentChange[];
  /** The controls whose review rule changes. */
  readonly outdatedReviews: readonly string[];
  readonly trial: Trial;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}) {
  const findings = changes.flatMap(({ kind, id, findings: own }) =>
    own.map(({ pointer, message }) => ({ key: `${kind} ${id} ${pointer} ${message}`, id, message })),
  );
  return (
    <AskFirst
      title={`Apply revision ${revision}?`}
      action={trial.isPending ? 'Apply without waiting' : 'Apply now'}
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
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
