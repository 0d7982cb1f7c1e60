/** The interface of a client, and the options of its calls. */
import type { WriteIntent } from '@writecheck/contract';
import type { AllowDecision, GuardOutcome, LocalDecision, WriteDecision } from './decision-types.ts';
import type { FactsSource } from './facts-types.ts';
import type { AbortSignalLike } from './platform.ts';
import type { RedeemAnswer, RedeemableDecision, RedeemOptions } from './redeem.ts';
import type { RequirementsAnswer } from './requirements.ts';
import type { OpenOptions, ReviewAnswer, ReviewOptions, WaitOptions } from './review-types.ts';

export interface CheckOptions {
  /** Stops the check: the outcome is a local block, never an exception. */
  readonly signal?: AbortSignalLike | undefined;
  /** Gives one action one decision over several calls or processes; by default each call has a new key. */
  readonly idempotencyKey?: string | undefined;
  /** Used instead of the client's own source of facts. */
  readonly facts?: FactsSource | undefined;
}

export interface CallOptions extends CheckOptions {
  /**
   * Names the call, instead of `idempotencyKey`. A repeat with the same name and intent gets the same allow while it is
   * valid; a pause or a block is decided again. The name must be unique to the call among those of the API key.
   */
  readonly callId?: string | undefined;
}

export interface RunOptions extends CallOptions {
  /**
   * False for a write that is safe to repeat. By default the allow is taken before the write, so that of all runs with
   * the same `callId` or `idempotencyKey` under one API key one writes.
   */
  readonly once?: boolean | undefined;
  /** False if the outcome of the write must not be reported to the service. */
  readonly outcomes?: boolean | undefined;
}

export interface GuardOptions extends RunOptions {
  /** Set it only if the action needs no protection: an outage (and nothing else) then no longer stops the write. */
  readonly unprotected?: boolean | undefined;
  /** If a person could resolve a pause, the guard opens a review, waits for it, and asks again once it is approved. */
  readonly review?: ReviewOptions | undefined;
}

export interface ResumeOptions extends RunOptions {
  /** How long to wait while the review is still open; 0 by default. */
  readonly waitMs?: number | undefined;
}

/** An intent, or a function that makes one. The function is called again before the second check. */
export type IntentSource = WriteIntent | (() => WriteIntent | PromiseLike<WriteIntent>);

export interface Client {
  /** Never rejects: without a valid decision, it returns a local block with its cause. */
  checkWrite(intent: WriteIntent, options?: CallOptions): Promise<WriteDecision>;
  /** Runs `write` only on a valid allow, and throws only what `write` throws. */
  guardWrite<T>(
    intent: IntentSource,
    write: (decision: AllowDecision | LocalDecision) => T | PromiseLike<T>,
    options?: GuardOptions,
  ): Promise<GuardOutcome<T>>;
  /** Continues with a review that another call or process opened; otherwise like `guardWrite`. */
  resumeWrite<T>(
    reviewId: string,
    intent: IntentSource,
    write: (decision: AllowDecision | LocalDecision) => T | PromiseLike<T>,
    options?: ResumeOptions,
  ): Promise<GuardOutcome<T>>;
  /** Asks the reviewers about a paused decision. Opening twice for the same write gives the same review. */
  openReview(decisionId: string, options?: OpenOptions): Promise<ReviewAnswer>;
  /** Waits while the review is open. The returned review is still `open` if the time was not enough. */
  waitForReview(reviewId: string, options?: WaitOptions): Promise<ReviewAnswer>;
  /** What a write would need, with its facts. It is not a decision: nothing is recorded, charged or used up. */
  requirements(
    intent: WriteIntent,
    options?: Pick<CheckOptions, 'signal' | 'facts'>,
  ): Promise<RequirementsAnswer>;
  /** Uses up an allow, on the side that executes. Anything except `redeemed` means: do not write. */
  redeem(decision: RedeemableDecision, options?: RedeemOptions): Promise<RedeemAnswer>;
}
