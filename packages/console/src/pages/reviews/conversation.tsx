/** Verdicts and comments in the order they came, and a form to add a comment. */
import type { Review } from '@writecheck/api';
import { useState } from 'preact/hooks';
import { commentOn } from '../../calls/reviews.ts';
import { controlInWords } from '../../components/member-labels.ts';
import { Moment } from '../../components/moment.tsx';
import { Section } from '../../components/page.tsx';
import { nameOf } from '../../components/review/review-words.tsx';
import { CallerText, RevealedText } from '../../components/text.tsx';
import { useRight } from '../../state/session.ts';
import type { Act } from './use-acts.ts';

const CHARACTERS_MAX = 2_000;

export function Conversation({ review, act }: { readonly review: Review; readonly act: Act }) {
  const [text, setText] = useState('');
  const mayComment = useRight('commentOnReview');
  const said = [
    ...review.verdicts.map(({ verdict, by, comment, at, controls, identity }) => ({
      at,
      by,
      text: comment,
      what: verdict === 'approve' ? `gave ${controls.map(controlInWords).join(', ')}` : 'rejected it',
      isSigned: identity === 'passkey',
    })),
    ...review.comments.map((comment) => ({
      at: comment.at,
      by: comment.by,
      text: comment.text,
      what: 'commented',
      isSigned: false,
    })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const send = async (event: Event) => {
    event.preventDefault();
    if (await act.run('Comment added.', () => commentOn(review.id, text.trim()))) setText('');
  };
  return (
    <Section title="Verdicts and comments">
      {said.length === 0 ? (
        <p class="quiet">None yet.</p>
      ) : (
        <ul class="brief">
          {said.map(({ at, by, what, text: comment, isSigned }, index) => (
            <li key={`${index} ${at}`}>
              <p class="small-text">
                <strong>
                  <RevealedText text={nameOf(by)} />
                </strong>{' '}
                <RevealedText text={what} />{' '}
                <span class="quiet">
                  <Moment at={at} as="full" />
                </span>{' '}
                {isSigned && <span class="chip signed">signed with their passkey</span>}
              </p>
              {comment !== null && (
                <p class="said">
                  <CallerText text={comment} />
                </p>
              )}
            </li>
          ))}
        </ul>
      )}
      {review.state === 'open' && mayComment && (
        <form onSubmit={send}>
          <label>
            Comment
            <textarea
              rows={2}
              maxLength={CHARACTERS_MAX}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </label>
          <div class="row">
            <button type="submit" disabled={act.isBusy || text.trim() === ''}>
              Add comment
            </button>
          </div>
        </form>
      )}
    </Section>
  );
}
