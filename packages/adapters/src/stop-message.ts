/** The message for a model about a tool that was not run: that nothing happened, why, and what to do now. */
import type { LocalDecision, StopDecision, StoppedOutcome } from '@writecheck/client';
import type { Remediation } from '@writecheck/contract';
import type { InvalidArguments } from './invalid-arguments.ts';

/** What happened to the review of a paused call. */
export interface ReviewNews {
  readonly outcome: Pick<StoppedOutcome, 'review' | 'stopped' | 'resetsAt'>;
  /** Why no reviewer could be asked. */
  readonly unasked?: string;
  /** The comment of the reviewer who rejected it. */
  readonly comment?: string;
}

/** Explains a mistake in the call itself, which was never checked. */
export function correctionMessage(tool: string, { message }: InvalidArguments): string {
  return `Not executed: ${message}. Nothing was written. Correct the arguments of \`${tool}\` and call it again.`;
}

export function stopMessage(decision: StopDecision | LocalDecision, news?: ReviewNews): string {
  if (news?.outcome.stopped === 'taken') return takenMessage(decision);
  if (decision.origin === 'client') {
    return `Not executed: ${decision.reason}. Nothing was written. Say so, and do not try another way to make this change.`;
  }
  const lines = isForPeople(decision) ? [approvalNeeded(decision)] : whatStoppedIt(decision);
  lines.push(reviewMessage(news) ?? haltMessage(news) ?? ADVICE[decision.decision]);
  if (decision.decision_id !== undefined) lines.push(`Decision: ${decision.decision_id}`);
  return lines.join('\n');
}

/** The only stop after which the write may have happened. */
function takenMessage({ decision_id }: StopDecision | LocalDecision): string {
  const told =
    'Not executed: another run of this call has taken its allow, and may have made this change already. ' +
    'Find out what is there now, and say so; do not repeat the call or try another way to make this change.';
  return decision_id === undefined ? told : `${told}\nDecision: ${decision_id}`;
}

function haltMessage(news: ReviewNews | undefined): string | undefined {
  const { stopped, resetsAt } = news?.outcome ?? {};
  if (stopped === 'frozen')
    return 'Nothing was written. Somebody stopped writes like this one by hand. Say so, and do not repeat the call or try another way to make this change.';
  if (stopped !== 'limit') return undefined;
  const until = typeof resetsAt === 'string' ? ` It has room again at ${resetsAt}.` : '';
  return `Nothing was written. A limit is used up.${until} Say so, and do not split the change or try another way to make it.`;
}

/** Whether the write needs only an approval. The reason may be about authority, which confuses a model then. */
function isForPeople({ decision, review, remediation = [] }: StopDecision): boolean {
  const controls: readonly unknown[] = Array.isArray(review?.controls) ? review.controls : [];
  const isApproval = ({ action, controlId }: Remediation) =>
    action === 'supply' && controls.includes(controlId);
  // Facts that a condition could read may change the decision, but are not required.
  const needs = remediation.filter(({ action }) => action !== 'inform');
  return decision === 'pause' && needs.length > 0 && needs.every(isApproval);
}

function approvalNeeded({ review }: StopDecision): string {
  const names = review?.controls.map((name) => `\`${name}\``).join(' and ');
  return `Not executed, paused for review: a person must approve this write (${names}).`;
}

function whatStoppedIt({ decision, reason, reason_code, remediation = [] }: StopDecision): string[] {
  const lines = [`${HEADS[decision]} ${reason} (${reason_code})`];
  if (remediation.length > 0) lines.push('What would satisfy it:');
  for (const { action, controlId, need } of remediation)
    lines.push(`- ${action}${controlId === undefined ? '' : ` \`${controlId}\``}: ${need}`);
  return lines;
}

/** Undefined if the decision already says everything. */
export function reviewMessage(news: ReviewNews | undefined): string | undefined {
  const { review, stopped } = news?.outcome ?? {};
  if (review === undefined || stopped === undefined) {
    if (news?.unasked === undefined) return undefined;
    return `Nothing was written. No reviewer could be asked: ${news.unasked}. Say so, and do not try another way to make this change.`;
  }
  const place = `${review.id}, ${review.url}`;
  switch (stopped) {
    case 'out_of_time':
      return (
        `Nothing was written. A person was asked to approve exactly this write (review ${place}). ` +
        'Repeating the same call with the same arguments goes through once they approve it. ' +
        'Say so, and do not try another way to make this change.'
      );
    case 'rejected': {
      const wrote = news?.comment === undefined ? '' : ` and wrote: ${news.comment}`;
      return `Nothing was written. A reviewer rejected this write (review ${place})${wrote}\nDo not repeat the same call; say what the reviewer decided.`;
    }
    case 'expired':
      return `Nothing was written. Nobody decided in time, so the review expired (${place}). Repeating the same call asks again.`;
    case 'cancelled':
      return `Nothing was written. The review was cancelled (${place}). Do not repeat the call unless you are told to.`;
    case 'changed_since_approval':
      return `Nothing was written. What this call would write has changed since it was approved (review ${place}). Repeating the call asks again.`;
    default:
      return undefined;
  }
}

const HEADS = {
  pause: 'Not executed, paused for review:',
  block: 'Not executed, blocked:',
} as const;

const ADVICE = {
  pause:
    'Nothing was written. A person must review this; say so, and do not repeat the call or try another way to make this change.',
  block:
    'Nothing was written. Stop this action; do not repeat the call or try another way to make this change.',
} as const;
