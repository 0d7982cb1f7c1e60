/** Asks before a change loosens the policy, with examples of writes it would no longer stop. */
import type { LoosenedExample } from '@writecheck/engine';
import { useEffect, useRef } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { DecisionBadge } from '../../components/decision-badge.tsx';
import { Told } from '../../components/told.tsx';
import type { LooseningDetail } from './policies-api.ts';

export function LooseningDialog({
  failure,
  action,
  onConfirm,
  onCancel,
}: {
  readonly failure: Failure;
  /** Such as `Apply`. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const details = failure.details as readonly LooseningDetail[];
  const examples = details.flatMap(({ example }) => (example === undefined ? [] : [example]));
  return (
    <dialog ref={dialog} aria-labelledby="loosening" onClose={onCancel}>
      <h2 id="loosening">This change loosens your policy</h2>
      <ul class="loose-list">
        {details
          .filter(({ example }) => example === undefined)
          .map(({ pointer, message }) => (
            <li key={`${pointer} ${message}`}>
              <Told text={message} />
            </li>
          ))}
      </ul>
      {examples.length > 0 && (
        <>
          <h3>For example</h3>
          <Examples examples={examples} />
        </>
      )}
      <div class="row dialog-actions">
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={onConfirm}>
          {action} anyway
        </button>
      </div>
    </dialog>
  );
}

export function Examples({ examples }: { readonly examples: readonly LoosenedExample[] }) {
  return (
    <ul class="examples">
      {examples.map((example) => {
        const { intent, sent, before, after } = example;
        const { system, objectType, objectRef, field, operation, workflowId } = intent;
        const target = [system, objectType, objectRef, field, operation].filter(Boolean).join(' · ');
        return (
          <li key={JSON.stringify(example)}>
            <p>
              <strong>{target}</strong>
              {workflowId !== undefined && (
                <span class="quiet">
                  {' '}
                  in <code>{workflowId}</code>
                </span>
              )}
            </p>
            <p class="row">
              <DecisionBadge decision={before.decision} />
              <span class="quiet small-text">
                <code>{before.reason_code}</code>
              </span>
              <span aria-hidden="true">→</span>
              <span class="hidden">becomes</span>
              <DecisionBadge decision={after.decision} />
            </p>
            <p class="quiet small-text">{sent}</p>
            <details>
              <summary>Intent</summary>
              <pre class="intent-json">{JSON.stringify(intent, null, 2)}</pre>
            </details>
          </li>
        );
      })}
    </ul>
  );
}
