/** Cancels a review or takes an approval back, and adds comments, which change nothing else. */
import { textDigest } from '@writecheck/store/sha256';
import { type Refusal, refuse } from '../../exchange/refusal.ts';
import { type ActResult, changed, reviewClosed, tooMany, unchanged } from './act-result.ts';
import { type Commenter, isSameAuthor, type StandingOf } from './author.ts';
import { mayEnd } from './count-approvals.ts';
import { entryOf } from './entries.ts';
import type { Comment, Review } from './review.ts';

export const COMMENTS_MAX = 100;
/** The limit of one author, and of all checking keys together: those who ask cannot crowd out those who decide. */
export const COMMENTS_OF_AUTHOR_MAX = 50;

/** `review` is settled, and `by` may see it; a checking key sees only reviews that it opened. */
export function cancel(
  review: Review,
  by: Commenter,
  reason: string | null,
  standingOf: StandingOf,
  nowMs: number,
): ActResult {
  if (review.state === 'cancelled') return unchanged(review);
  if (review.state === 'rejected' || review.state === 'expired') return reviewClosed(review);
  const isOpen = review.state === 'open';
  if (!(isOpen ? mayCancelOpen : mayTakeBack)(review, by, standingOf))
    return isOpen ? NOT_YOURS_OPEN : NOT_YOURS_APPROVED;
  const members = {
    state: 'cancelled',
    because: 'cancelled',
    resolvedAtMs: review.resolvedAtMs ?? nowMs,
    comments: isFull(review) ? review.comments : withReason(review.comments, by, reason, nowMs),
  } as const;
  const outcome = changed(review, members, (cancelled) => [
    entryOf(cancelled, 'cancelled', by, nowMs, {
      because: 'cancelled',
      reason: reason === null ? null : textDigest(reason),
    }),
  ]);
  return isOpen ? outcome : { ...outcome, revokes: true };
}

const NOT_YOURS_OPEN: Refusal = refuse(
  'insufficient_scope',
  'only a key that asked, an owner, or somebody who could approve this review may cancel it',
);
const NOT_YOURS_APPROVED: Refusal = refuse(
  'insufficient_scope',
  'only an owner, or somebody who approved this review, may take the approval back',
);

function mayCancelOpen(review: Review, by: Commenter, standingOf: StandingOf): boolean {
  return by.kind === 'checking_key' || mayEnd(review, by, standingOf);
}

function mayTakeBack(review: Review, by: Commenter, standingOf: StandingOf): boolean {
  if (by.kind === 'checking_key') return false;
  const author = { kind: by.kind, id: by.id };
  const standing = standingOf(author, review);
  if (standing === null) return false;
  return standing.isOwner || review.verdicts.some((verdict) => isSameAuthor(verdict.by, author));
}

function sharesPlaces(one: Commenter, other: Commenter): boolean {
  return one.kind === other.kind && (one.kind !== 'person' || one.id === other.id);
}

/** Cancelling must not fail because there is no room for a comment; then only the log keeps the reason, as a digest. */
function isFull({ comments }: Review): boolean {
  return comments.length >= COMMENTS_MAX;
}

/** Shows the reason together with the comments. */
function withReason(
  comments: readonly Comment[],
  { kind, id }: Commenter,
  reason: string | null,
  nowMs: number,
): readonly Comment[] {
  return reason === null ? comments : [...comments, { text: reason, by: { kind, id }, atMs: nowMs }];
}

/** `review` is settled, and `by` may see it. */
export function comment(review: Review, by: Commenter, text: string, nowMs: number): ActResult {
  if (review.state !== 'open') return reviewClosed(review);
  if (isFull(review)) {
    return tooMany(`a review has ${COMMENTS_MAX} comments at most`);
  }
  if (review.comments.filter((each) => sharesPlaces(each.by, by)).length >= COMMENTS_OF_AUTHOR_MAX) {
    const whose = by.kind === 'checking_key' ? 'keys that ask have' : 'one author has';
    return tooMany(`${whose} ${COMMENTS_OF_AUTHOR_MAX} comments on a review at most`);
  }
  const comments = withReason(review.comments, by, text, nowMs);
  return changed(review, { comments }, (open) => [
    entryOf(open, 'commented', by, nowMs, { text: textDigest(text) }),
  ]);
}
