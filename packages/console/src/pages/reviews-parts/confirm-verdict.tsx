/** The second act: confirm a choice, with a comment or reason. */
import type { Review } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { AskFirst } from '../../components/ask-first.tsx';
import { RevealedText } from '../../components/revealed-text.tsx';
import { titleOf } from '../decisions-parts/write-title.tsx';
import { Warnings } from './around-review.tsx';
import type { CoveredWrite } from './covered.ts';

export type Choice = 'approve' | 'reject' | 'cancel' | 'reopen';

const TEXTS: {
  readonly [choice in Choice]: { readonly title: string; readonly action: string; readonly label: string };
} = {
  approve: { title: 'Approve this write?', action: 'Approve', label: 'Comment (optional)' },
  reject: { title: 'Reject this write?', action: 'Reject', label: 'Comment (required)' },
  cancel: { title: 'Cancel this review?', action: 'Cancel review', label: 'Reason (optional)' },
  reopen: { title: 'Open a new review of this write?', action: 'Reopen', label: 'Reason (required)' },
};

export function ConfirmVerdict({
  choice,
  review,
  write,
  warnings,
  onConfirm,
  onCancel,
}: {
  readonly choice: Choice;
  readonly review: Review;
  readonly write: CoveredWrite;
  readonly warnings: readonly string[];
  readonly onConfirm: (text: string) => void;
  readonly onCancel: () => void;
}) {
  const [text, setText] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const [isChecked, setIsChecked] = useState(false);
  const needsCheck = choice === 'approve' && warnings.length > 0;
  const { action, label } = TEXTS[choice];
  const takesBack = choice === 'cancel' && review.state === 'approved';
  const isNeeded = choice === 'reject' || choice === 'reopen';
  const confirm = () => {
    if ((isNeeded && text.trim() === '') || (needsCheck && !isChecked)) setIsMissing(true);
    else onConfirm(text.trim());
  };
  return (
    <AskFirst
      title={takesBack ? 'Take this approval back?' : TEXTS[choice].title}
      action={takesBack ? 'Take back' : action}
      {...(choice === 'cancel' ? { dismissal: takesBack ? 'Keep it' : 'Keep it open' } : {})}
      isDangerous={choice === 'reject' || choice === 'cancel'}
      onConfirm={confirm}
      onCancel={onCancel}
    >
      {choice === 'approve' && <Approved review={review} write={write} />}
      {needsCheck && (
        <div class="note note-warn">
          <Warnings warnings={warnings} />
          <label class="switch">
            <input
              type="checkbox"
              checked={isChecked}
              aria-describedby={isMissing ? 'say-why' : undefined}
              onChange={(event) => {
                setIsChecked(event.currentTarget.checked);
                setIsMissing(false);
              }}
            />
            I have checked these points
          </label>
        </div>
      )}
      {choice === 'reject' && <p>This closes the review. The agent can read your comment.</p>}
      {takesBack && <p>Allows that rest on it can no longer be replayed or redeemed.</p>}
      <label>
        {label}
        <textarea
          rows={3}
          maxLength={2_000}
          value={text}
          aria-invalid={isMissing && isNeeded}
          aria-describedby={isMissing && isNeeded ? 'say-why' : undefined}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setIsMissing(false);
          }}
        />
      </label>
      {isMissing && (
        <p id="say-why" role="alert" class="note note-bad">
          {choice === 'approve'
            ? 'Tick the box once you have checked them, or cancel.'
            : `Say why. A ${choice === 'reject' ? 'rejection' : 'new review'} needs a reason.`}
        </p>
      )}
    </AskFirst>
  );
}

const BRIEF_CHARACTERS = 200;

/** Made only of what the digest covers. */
function Approved({ review, write }: { readonly review: Review; readonly write: CoveredWrite }) {
  const value = write.after?.text;
  return (
    <>
      <p>
        <strong>
          <RevealedText text={cut(titleOf(review.intent))} />
        </strong>
        {value !== undefined && ' becomes'}
      </p>
      {value !== undefined && (
        <p class="value">
          <RevealedText text={cut(value)} />
        </p>
      )}
      <p>The agent can make this write once. A changed value needs a new review.</p>
      <p class="small-text quiet">
        <code>{write.digest}</code>
      </p>
    </>
  );
}

function cut(text: string): string {
  const points = [...text];
  return points.length <= BRIEF_CHARACTERS ? text : `${points.slice(0, BRIEF_CHARACTERS).join('')}…`;
}
