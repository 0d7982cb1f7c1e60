/** The second act for several writes: confirm a verdict by what tells them apart, with one comment. */

import { useState } from 'preact/hooks';
import { AskFirst } from '../../components/ask-first.tsx';
import { cut } from '../../components/cut.ts';
import { amountOf, sumsOf } from '../../components/decision/said-in-intent.ts';
import { titleOf } from '../../components/decision/write-title.tsx';
import { RevealedText } from '../../components/text.tsx';
import { batchOf, memberOf, type ShownReview } from './batch-columns.ts';
import { agentNameOf } from './order-reviews.ts';
import { Reason } from './reasons.tsx';
import { TogetherLimits } from './together-limits.tsx';

const VALUE_CHARACTERS_MAX = 80;
/** More may not fit without scrolling. */
const LISTED_MAX = 5;

/** Made only of what the digests cover. */
export function ConfirmSeveral({
  choice,
  all,
  needsPasskey,
  said,
  onConfirm,
  onCancel,
}: {
  readonly choice: 'approve' | 'reject';
  readonly all: readonly ShownReview[];
  readonly needsPasskey: boolean;
  /** What was typed for a try that failed. */
  readonly said: string;
  readonly onConfirm: (comment: string) => void;
  readonly onCancel: () => void;
}) {
  const [comment, setComment] = useState(said);
  const [isMissing, setIsMissing] = useState(false);
  const { columns, isOneKind } = batchOf(all);
  const isApproved = choice === 'approve';
  const verb = isApproved ? 'Approve' : 'Reject';
  const action = needsPasskey ? `Sign and ${choice}` : verb;
  const agents = [...new Set(all.map(({ review }) => agentNameOf(review)))];
  const agent = agents.length === 1 ? agents[0]! : 'The agent';
  return (
    <AskFirst
      title={all.length === 1 ? `${verb} this write?` : `${verb} these ${all.length} writes?`}
      action={all.length === 1 ? action : `${action} ${all.length}`}
      isDangerous={!isApproved}
      onConfirm={() => {
        if (!isApproved && comment.trim() === '') setIsMissing(true);
        else onConfirm(comment.trim());
      }}
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
                    text={cut(
                      isOneKind ? String(review.intent.objectRef) : titleOf(review.intent),
                      VALUE_CHARACTERS_MAX,
                    )}
                  />
                </span>
                {write.after !== null && (
                  <code>
                    <RevealedText text={cut(write.after.text, VALUE_CHARACTERS_MAX)} isWary />
                  </code>
                )}
                {parts.length > 0 && (
                  <span class="line quiet small-text">
                    <RevealedText text={parts.map((part) => cut(part, VALUE_CHARACTERS_MAX)).join(' · ')} />
                  </span>
                )}
              </span>
              {amount !== null && (
                <span class="number">
                  <RevealedText text={cut(amount, VALUE_CHARACTERS_MAX)} />
                </span>
              )}
            </li>
          );
        })}
      </ol>
      {all.length > LISTED_MAX && <p class="quiet small-text">Scroll to see all {all.length}.</p>}
      <Sums all={all} />
      {isApproved && <TogetherLimits all={all} />}
      <p>
        <RevealedText text={agent} />{' '}
        {isApproved ? 'can make each of them once.' : 'may make none of them, and can read your comment.'}
        {needsPasskey && ' Your passkey signs all of them in one prompt.'}
      </p>
      <Reason
        label={`Comment on each (${isApproved ? 'optional' : 'required'})`}
        rows={2}
        text={comment}
        isMissing={isMissing}
        // In a low window the list above scrolls, and would take the focus.
        isFocused
        isRejection={!isApproved}
        onText={(text) => {
          setComment(text);
          setIsMissing(false);
        }}
      />
      {isMissing && (
        <p id="say-why" role="alert" class="note note-bad">
          Say why. A rejection needs a reason.
        </p>
      )}
    </AskFirst>
  );
}

/** One total for each currency. */
function Sums({ all }: { readonly all: readonly ShownReview[] }) {
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
