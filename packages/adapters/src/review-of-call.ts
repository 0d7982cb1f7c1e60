/** Chooses what a guard has the client do about reviews, and reports the resulting review. */
import type {
  Client,
  ReviewOptions,
  ReviewRequest,
  ReviewSummary,
  StoppedOutcome,
  WriteIntent,
} from '@writecheck/client';
import type { ReviewNews } from './stop-message.ts';

export type ReviewMode = 'off' | 'tell' | 'wait';

/** A tool call with its intent. */
export interface NamedCall {
  readonly tool: string;
  readonly intent: WriteIntent;
  /** Made from the framework's id of the call; omitted if the framework provides none. */
  readonly callId?: string | undefined;
}

export interface ReviewedCall extends NamedCall {
  /** The arguments as the model sent them. */
  readonly args?: unknown;
  /** What the framework passes to a tool with its arguments, for example the user of this run. */
  readonly context?: unknown;
}

export interface ReviewSettings {
  readonly client: Client;
  /**
   * What happens on a pause that a person could resolve. `tell` (the default) opens a review and tells the
   * model that a repeated call runs once it is approved; `wait` waits for the reviewers; `off` opens none.
   */
  readonly review?: ReviewMode;
  /** How long `wait` waits; 10 minutes by default. */
  readonly reviewWaitMs?: number;
  /**
   * Who asks and why, for the reviewers. It runs before every check; if it throws, the tool does not run, because a
   * review without its requester could be approved by them.
   */
  readonly reviewRequest?: (call: ReviewedCall) => ReviewRequest | PromiseLike<ReviewRequest>;
}

const ARGUMENTS_TOO_LARGE =
  'the arguments do not fit into the 16 KiB that a reviewer could be shown; make the call smaller';
const DEFAULT_WAIT_MS = 600_000;
const COMMENT_MAX = 2000;

/** `fits`: the intent carries all arguments of the call; otherwise nobody can review it. */
export async function reviewOptions(
  { review = 'tell', reviewWaitMs = DEFAULT_WAIT_MS, reviewRequest }: ReviewSettings,
  call: ReviewedCall,
  fits: boolean,
): Promise<ReviewOptions | undefined> {
  if (review === 'off' || !fits) return undefined;
  return { ...(await reviewRequest?.(call)), waitMs: review === 'wait' ? reviewWaitMs : 0 };
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

/** The comment of the reviewer who rejected it, if available. */
async function commentOn(client: Client, { id }: ReviewSummary): Promise<{ readonly comment?: string }> {
  try {
    const answer = await client.waitForReview(id);
    const verdicts = answer.kind === 'review' ? answer.review.verdicts : undefined;
    const comment = verdicts?.find(({ verdict }) => verdict === 'reject')?.comment;
    return typeof comment === 'string' ? { comment: comment.slice(0, COMMENT_MAX) } : {};
  } catch {
    // The service chose the form of `verdicts`; the call was stopped either way.
    return {};
  }
}
