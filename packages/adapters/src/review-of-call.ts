/** What a guard asks the client to do about reviews, and what to report about the resulting review. */
import type { Client, ReviewOptions, ReviewSummary, StoppedOutcome } from '@writecheck/client';
import type { ReviewNews } from './stop-message.ts';

export type ReviewMode = 'off' | 'tell' | 'wait';

export interface ReviewSettings {
  readonly client: Client;
  /**
   * What happens on a pause that a person could resolve. `tell` (the default) opens a review and tells the model that
   * repeating the call goes through once it is approved; `wait` waits for the reviewers; `off` opens none.
   */
  readonly review?: ReviewMode;
  /** How long `wait` waits; 10 minutes by default. */
  readonly reviewWaitMs?: number;
}

const ARGUMENTS_TOO_LARGE =
  'the arguments do not fit into the 16 KiB that a reviewer could be shown; make the call smaller';
const DEFAULT_WAIT_MS = 600_000;
const COMMENT_MAX = 2000;

/** `fits`: the intent carries all arguments of the call. */
export function reviewOptions(
  { review = 'tell', reviewWaitMs = DEFAULT_WAIT_MS }: ReviewSettings,
  fits: boolean,
): ReviewOptions | undefined {
  if (review === 'off' || !fits) return undefined;
  return { waitMs: review === 'wait' ? reviewWaitMs : 0 };
}

export async function newsOf(
  { client, review: mode }: ReviewSettings,
  outcome: StoppedOutcome,
  fits: boolean,
): Promise<ReviewNews> {
  const { decision, review, stopped, cause } = outcome;
  if (!fits && mode !== 'off' && decision.origin !== 'client' && decision.review !== undefined)
    return { outcome, unasked: ARGUMENTS_TOO_LARGE };
  return {
    outcome,
    ...(cause === undefined ? {} : { unasked: cause.message }),
    ...(stopped === 'rejected' && review !== undefined ? await commentOn(client, review) : {}),
  };
}

/** The comment of the reviewer who said no, if it is available. */
async function commentOn(client: Client, { id }: ReviewSummary): Promise<{ readonly comment?: string }> {
  try {
    const answer = await client.waitForReview(id);
    const verdicts = answer.kind === 'review' ? answer.review.verdicts : undefined;
    const comment = verdicts?.find(({ verdict }) => verdict === 'reject')?.comment;
    return typeof comment === 'string' ? { comment: comment.slice(0, COMMENT_MAX) } : {};
  } catch {
    // The service chose the shape of `verdicts`; the call was stopped either way.
    return {};
  }
}
