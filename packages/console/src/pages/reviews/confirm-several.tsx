/** The second act for several writes: confirm them by what tells them apart, with one comment. */
import { useState } from 'preact/hooks';
import { AskFirst } from '../../components/ask-first.tsx';
import { amountOf, sumsOf } from '../../components/decision/said-in-intent.ts';
import { titleOf } from '../../components/decision/write-title.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { batchOf, memberOf, type ShownReview } from './batch-columns.ts';

const VALUE_CHARACTERS = 80;

/** Made only of what the digests cover. */
export function ConfirmSeveral({
  all,
  needsPasskey,
  said,
  onConfirm,
  onCancel,
}: {
  readonly all: readonly ShownReview[];
  readonly needsPasskey: boolean;
  /** What was typed for a try that failed. */
  readonly said: string;
  readonly onConfirm: (comment: string) => void;
  readonly onCancel: () => void;
}) {
  const [comment, setComment] = useState(said);
  const { columns, isOneKind } = batchOf(all);
  const action = needsPasskey ? 'Sign and approve' : 'Approve';
  return (
    <AskFirst
      title={all.length === 1 ? 'Approve this write?' : `Approve these ${all.length} writes?`}
      action={all.length === 1 ? action : `${action} ${all.length}`}
      onConfirm={() => onConfirm(comment.trim())}
      onCancel={onCancel}
    >
      <ol class="to-approve">
        {all.map(({ review, write }) => {
          const amount = amountOf(review.intent);
          const parts = columns
            .filter(({ id, label }) => label !== 'Amount' && id !== write.after?.id)
            .flatMap(({ id }) => memberOf(write, id)?.text ?? []);
          return (
            <li key={review.id}>
              <span>
                <span class="line">
                  <RevealedText
                    text={cut(isOneKind ? String(review.intent.objectRef) : titleOf(review.intent))}
                  />
                </span>
                {write.after !== null && (
                  <code>
                    <RevealedText text={cut(write.after.text)} isWary />
                  </code>
                )}
                {parts.length > 0 && (
                  <span class="line quiet small-text">
                    <RevealedText text={parts.map(cut).join(' · ')} />
                  </span>
                )}
              </span>
              {amount !== null && (
                <span class="number">
                  <RevealedText text={cut(amount)} />
                </span>
              )}
            </li>
          );
        })}
      </ol>
      <Sums all={all} />
      <p>
        The agent can make each of them once.
        {needsPasskey && ' Your passkey signs all of them in one prompt.'}
      </p>
      <label>
        Comment on each (optional)
        <textarea
          rows={2}
          maxLength={2_000}
          value={comment}
          onInput={(event) => setComment(event.currentTarget.value)}
        />
      </label>
    </AskFirst>
  );
}

/** One total for each currency. */
export function Sums({ all }: { readonly all: readonly ShownReview[] }) {
  const { sums, without } = sumsOf(all.map(({ review }) => review.intent));
  if (sums.length === 0 || all.length < 2) return null;
  return (
    <p>
      In total{' '}
      <strong>
        <RevealedText text={sums.join(' and ')} />
      </strong>
      {without > 0 && (
        <span class="quiet">
          {' '}
          and {without === 1 ? '1 write without an amount' : `${without} writes without an amount`}
        </span>
      )}
    </p>
  );
}

function cut(text: string): string {
  const points = [...text];
  return points.length <= VALUE_CHARACTERS ? text : `${points.slice(0, VALUE_CHARACTERS).join('')}…`;
}
