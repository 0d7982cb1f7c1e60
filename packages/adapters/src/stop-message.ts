/** The message for a model about a tool that was not run: that nothing happened, why, and what to do now. */
import type { Client, LocalDecision, ReviewSummary, StopDecision, StoppedOutcome } from '@writecheck/client';
import type { Remediation } from '@writecheck/contract';
import type { NamedWrite, NamingSettings } from './name-write.ts';

const ARGUMENTS_TOO_LARGE =
  'the arguments do not fit into the 16 KiB that a reviewer could be shown; make the call smaller';
const COMMENT_MAX = 2000;

/** What the guard and the reviewers did about a call that was checked. */
export async function stopMessageOf(
  { client, review: mode }: NamingSettings,
  outcome: StoppedOutcome,
  { fits }: NamedWrite,
): Promise<string> {
  const { decision, review, stopped, cause } = outcome;
  if (stopped === 'taken') return takenMessage(decision);
  const isTooLarge = !fits && mode !== 'off' && decision.origin !== 'client' && decision.review !== undefined;
  const comment =
    stopped === 'rejected' && review !== undefined ? await commentOn(client, review) : undefined;
  const unasked = isTooLarge ? ARGUMENTS_TOO_LARGE : cause?.message;
  return stopMessage(decision, reviewMessage(outcome, unasked, comment) ?? haltMessage(outcome));
}

/** `advice`: what to do, if it is not what the decision alone says. */
export function stopMessage(decision: StopDecision | LocalDecision, advice?: string): string {
  if (decision.origin === 'client') {
    return `Not executed: ${decision.reason}. Nothing was written. Say so, and do not try another way to make this change.`;
  }
  const lines = isForPeople(decision) ? [approvalNeeded(decision)] : whatStoppedIt(decision);
  lines.push(advice ?? ADVICE[decision.decision]);
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

function haltMessage({ stopped, resetsAt }: StoppedOutcome): string | undefined {
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
function reviewMessage(
  { review, stopped }: StoppedOutcome,
  unasked: string | undefined,
  comment: string | undefined,
): string | undefined {
  if (review === undefined || stopped === undefined) {
    if (unasked === undefined) return undefined;
    return `Nothing was written. No reviewer could be asked: ${unasked}. Say so, and do not try another way to make this change.`;
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
      const wrote = comment === undefined ? '' : ` and wrote: ${comment}`;
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

/** The comment of the reviewer who rejected it, if available. */
async function commentOn(client: Client, { id }: ReviewSummary): Promise<string | undefined> {
  try {
    const answer = await client.waitForReview(id);
    const verdicts = answer.kind === 'review' ? answer.review.verdicts : undefined;
    const comment = verdicts?.find(({ verdict }) => verdict === 'reject')?.comment;
    return typeof comment === 'string' ? comment.slice(0, COMMENT_MAX) : undefined;
  } catch {
    // The service chose the form of `verdicts`; the call was stopped either way.
    return undefined;
  }
}
