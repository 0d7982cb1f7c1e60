/** The second act: confirm a choice, with a comment or reason. */

import type { Review } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { AskFirst } from '../../components/ask-first.tsx';
import { cut } from '../../components/cut.ts';
import { cutAround } from '../../components/cut-around.ts';
import { amountOf, requesterOf } from '../../components/decision/said-in-intent.ts';
import { ValueDifference } from '../../components/decision/value-difference.tsx';
import { titleOf } from '../../components/decision/write-title.tsx';
import { Fact } from '../../components/fact.tsx';
import type { CoveredWrite } from '../../components/review/covered.ts';
import { isSigned, TimeLeft } from '../../components/review/review-words.tsx';
import { isGrave, type Warning } from '../../components/review/warnings.ts';
import { RevealedText } from '../../components/text.tsx';
import { useSession } from '../../state/session.ts';
import { toneOf, Warnings } from './around-review.tsx';
import { Reason } from './reasons.tsx';

export type Choice = 'approve' | 'reject' | 'cancel';

const TEXTS: {
  readonly [choice in Choice]: { readonly title: string; readonly action: string; readonly label: string };
} = {
  approve: { title: 'Approve this write?', action: 'Approve', label: 'Comment (optional)' },
  reject: { title: 'Reject this write?', action: 'Reject', label: 'Comment (required)' },
  cancel: { title: 'Cancel this review?', action: 'Cancel review', label: 'Reason (optional)' },
};

export function ConfirmVerdict({
  choice,
  review,
  write,
  warnings,
  isMoving = false,
  said = '',
  onConfirm,
  onCancel,
}: {
  readonly choice: Choice;
  readonly review: Review;
  readonly write: CoveredWrite;
  readonly warnings: readonly Warning[];
  /** Whether a verdict leads to the next review. */
  readonly isMoving?: boolean;
  /** What was typed for a try that failed. */
  readonly said?: string;
  readonly onConfirm: (text: string) => void;
  readonly onCancel: () => void;
}) {
  const [text, setText] = useState(said);
  const [isMissing, setIsMissing] = useState(false);
  const [isChecked, setIsChecked] = useState(false);
  const person = useSession()?.person;
  const needsCheck = choice === 'approve' && warnings.length > 0;
  const { action } = TEXTS[choice];
  const takesBack = choice === 'cancel' && review.state === 'approved';
  // Whoever approves against signs of an attack says what made them sure.
  const isAgainst = choice === 'approve' && warnings.some(isGrave);
  const isNeeded = choice === 'reject' || isAgainst;
  const isVerdict = choice === 'approve' || choice === 'reject';
  const signs = isVerdict && isSigned(review, person);
  const isLeading = isVerdict && isMoving;
  const plain = signs ? `Sign${isLeading ? ',' : ' and'} ${action.toLowerCase()}` : action;
  const verb = isAgainst ? `${plain} anyway` : plain;
  const confirm = () => {
    if ((isNeeded && text.trim() === '') || (needsCheck && !isChecked)) setIsMissing(true);
    else onConfirm(text.trim());
  };
  return (
    <AskFirst
      title={
        takesBack
          ? 'Take this approval back?'
          : isAgainst
            ? 'Approve although it may be forged?'
            : TEXTS[choice].title
      }
      action={takesBack ? 'Take back' : isLeading ? `${verb}${signs ? ',' : ' and'} next` : verb}
      {...(choice === 'cancel' ? { dismissal: takesBack ? 'Keep it' : 'Keep it open' } : {})}
      isDangerous={choice === 'reject' || choice === 'cancel' || isAgainst}
      onConfirm={confirm}
      onCancel={onCancel}
    >
      {isVerdict && <Decided review={review} write={write} isApproved={choice === 'approve'} />}
      {needsCheck && (
        <div class={`note ${toneOf(warnings)}`}>
          <Warnings warnings={warnings} />
          <label>
            <input
              type="checkbox"
              // Not the link before it, which leads away.
              autofocus
              checked={isChecked}
              aria-describedby={isMissing ? 'say-why' : undefined}
              onChange={(event) => {
                setIsChecked(event.currentTarget.checked);
                setIsMissing(false);
              }}
            />
            I have checked {warnings.length === 1 ? 'this point' : 'these points'}
          </label>
        </div>
      )}
      {choice === 'reject' && <p>This closes the review. The agent can read your comment.</p>}
      {signs && <p>Your device asks for your passkey to sign it.</p>}
      {takesBack && <p>The agent can no longer use this approval.</p>}
      <Reason
        label={isAgainst ? 'How did you check? (required)' : TEXTS[choice].label}
        rows={3}
        text={text}
        isMissing={isMissing && isNeeded}
        isRejection={choice === 'reject'}
        onText={(next) => {
          setText(next);
          setIsMissing(false);
        }}
      />
      {choice === 'approve' && (
        <details class="small-text">
          <summary>Digest of this write</summary>
          <code>{write.digest}</code>
        </details>
      )}
      {isMissing && (
        <p id="say-why" role="alert" class="note note-bad">
          {choice === 'approve'
            ? `Tick the box${isAgainst ? ' and say how you checked' : ` once you have checked ${warnings.length === 1 ? 'it' : 'them'}`}, or cancel.`
            : 'Say why. A rejection needs a reason.'}
        </p>
      )}
    </AskFirst>
  );
}

const BRIEF_MAX = 200;

/** What the digest covers, and apart from it whom the caller names. */
function Decided({
  review,
  write,
  isApproved,
}: {
  readonly review: Review;
  readonly write: CoveredWrite;
  readonly isApproved: boolean;
}) {
  const value = write.after?.text;
  const source = write.before?.text;
  // Whoever writes what the source does not say sees both, in the place where they say so.
  const isOverridden = isApproved && value !== undefined && source !== undefined && source !== value;
  const { authoritySource } = review.intent;
  const amount = amountOf(review.intent);
  const requester = requesterOf(review.intent);
  const onBehalfOf = review.askedBy[0]?.onBehalfOf ?? null;
  return (
    <>
      <p>
        <strong>
          <RevealedText text={cut(titleOf(review.intent), BRIEF_MAX)} />
        </strong>
        {value !== undefined && !isOverridden && ' to'}
      </p>
      {isOverridden && (
        <ValueDifference
          {...aroundDifference(value, source)}
          authoritySource={typeof authoritySource === 'string' ? cut(authoritySource, BRIEF_MAX) : undefined}
        />
      )}
      {value !== undefined && !isOverridden && (
        <p class="value">
          <RevealedText text={cut(value, BRIEF_MAX)} isWary />
        </p>
      )}
      <dl class="facts">
        {amount !== null && (
          <Fact name="Amount">
            <strong>
              <RevealedText text={cut(amount, BRIEF_MAX)} />
            </strong>
          </Fact>
        )}
        {requester !== null && (
          <Fact name="For">
            <RevealedText text={cut(requester, BRIEF_MAX)} />
          </Fact>
        )}
        {onBehalfOf !== null && onBehalfOf !== requester && (
          <Fact name="For, the caller says">
            <RevealedText text={cut(onBehalfOf, BRIEF_MAX)} />
          </Fact>
        )}
        <Fact name="Decide within">
          <TimeLeft until={review.expiresAt} since={review.openedAt} />
        </Fact>
      </dl>
      {isApproved && <p>The agent can make this write once. A changed value needs a new review.</p>}
    </>
  );
}

/** Short ones whole; of long ones the part that differs. */
function aroundDifference(value: string, source: string) {
  const { left, right } = cutAround(value, source);
  return { agentValue: left, authorityValue: right };
}
