/** The second act for several writes: confirm them by name, with one comment. */
import { useState } from 'preact/hooks';
import { AskFirst } from '../../components/ask-first.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { amountOf, sumsOf } from '../decisions-parts/said-in-intent.ts';
import { titleOf } from '../decisions-parts/write-title.tsx';
import type { ShownReview } from './batch-table.tsx';

const VALUE_CHARACTERS = 80;

/** Made only of what the digests cover. */
export function ConfirmSeveral({
  all,
  needsPasskey,
  onConfirm,
  onCancel,
}: {
  readonly all: readonly ShownReview[];
  readonly needsPasskey: boolean;
  readonly onConfirm: (comment: string) => void;
  readonly onCancel: () => void;
}) {
  const [comment, setComment] = useState('');
  return (
    <AskFirst
      title={all.length === 1 ? 'Approve this write?' : `Approve these ${all.length} writes?`}
      action="Approve"
      onConfirm={() => onConfirm(comment.trim())}
      onCancel={onCancel}
    >
      <ol class="to-approve">
        {all.map(({ review, write }) => {
          const title = titleOf(review.intent);
          const amount = amountOf(review.intent);
          return (
            <li key={review.id}>
              <RevealedText text={cut(title)} />
              {write.after !== null && (
                <code>
                  <RevealedText text={cut(write.after.text)} />
                </code>
              )}
              {amount !== null && !title.includes(amount) && (
                <span class="quiet">
                  <RevealedText text={amount} />
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
