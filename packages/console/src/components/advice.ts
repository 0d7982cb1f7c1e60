/** Tells the user what to do about a failure. */
import type { Failure } from '../api.ts';
import { session } from '../state/session.ts';

/** `isAskedAgain`: the failed call only reads, so the page retries it. The page never repeats a change. */
export function adviceFor(
  { code, details, retryAfterSeconds }: Failure,
  isAskedAgain: boolean,
): string | null {
  const isPerson = session.get()?.person !== undefined;
  switch (code) {
    case 'unreachable':
      return isAskedAgain
        ? 'Check that the service is running. This page retries automatically.'
        : 'We don’t know if this was saved, and this page does not resend changes. Wait for the connection, then look at the state here.';
    case 'not_understood':
      return 'The service may have been updated, or a proxy responded in its place. Copy what you typed, then reload this page.';
    case 'no_passkey':
      return 'Try again with the device that has your passkey, or ask an owner for a new invitation.';
    case 'missing_key':
    case 'invalid_key':
      return 'Check that you pasted the whole key, without spaces or line breaks.';
    case 'key_revoked':
    case 'key_expired':
      return 'This key no longer works. Sign in with another owner key, or create a new key.';
    case 'insufficient_scope':
      // The service tells a person whom to ask.
      return isPerson
        ? null
        : 'Use another key. Owner keys manage the workspace; development and live keys send checks.';
    case 'workspace_suspended':
      return 'Nothing is lost. Ask the operator of this service to resume the workspace.';
    case 'signup_closed':
      return 'Ask your operator for a workspace, then sign in with its owner key.';
    case 'rate_limited':
    case 'overloaded':
    case 'store_unavailable':
    case 'clock_behind':
    case 'clock_ahead':
      return `Try again${retryAfterSeconds === null ? ' in a moment' : ` in ${inWords(retryAfterSeconds)}`}.`;
    case 'quota_exceeded':
      return 'The allowance of this workspace is used up for now. Ask your operator for live keys.';
    case 'loosening_unconfirmed':
      return 'Review what would be allowed from now on, then confirm.';
    case 'revision_conflict':
      return 'Someone applied another revision. Review the differences, then apply again.';
    case 'last_owner_key':
      return 'Create another owner key that does not expire, then revoke this one.';
    case 'identity_too_weak':
      return isPerson
        ? 'Sign with a passkey that is older than this review, or ask someone else.'
        : 'This control needs a signed-in person; an owner key cannot approve it.';
    case 'assertion_invalid':
      // A passkey that is being registered has this code too, and its message says what to do.
      return details.some(({ pointer }) => pointer === '/assertion')
        ? 'The browser may have used the passkey of another account; choose your own. If yours is newer than this review, someone who joined earlier must decide.'
        : null;
    case 'not_a_reviewer':
      return 'Ask a member of the groups that the control names. An owner key is in no group.';
    case 'self_review':
      return 'Ask somebody else to review this write.';
    case 'review_closed':
      return 'Someone decided or cancelled it, or it expired. The page shows its current state.';
    case 'already_voted':
      return 'Withdraw your approval first.';
    case 'not_reviewable':
      return 'A review cannot resolve this pause. If the decision is old, the agent must check again.';
    default:
      return null;
  }
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} minutes`;
  return `${Math.round(seconds / 3_600)} hours`;
}
