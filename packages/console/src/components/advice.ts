/** What a person can do about a failure. */
import type { Failure } from '../api.ts';

/** `isAskedAgain`: what failed only reads, so the page repeats it; what changes something is repeated by nobody but its author. */
export function adviceFor({ code, retryAfterSeconds }: Failure, isAskedAgain: boolean): string | null {
  switch (code) {
    case 'unreachable':
      return isAskedAgain
        ? 'Look whether the service runs and whether this page can reach it; it asks again by itself.'
        : 'Look whether the service runs and whether this page can reach it. This is not sent again by itself.';
    case 'not_understood':
      return 'Load this page again: the service may have been updated meanwhile, or something between answers for it.';
    case 'missing_key':
    case 'invalid_key':
      return 'Look whether the whole key was pasted, without spaces or line breaks.';
    case 'key_revoked':
    case 'key_expired':
      return 'This key works no more. Sign in with another owner key, or make a new checking key.';
    case 'insufficient_scope':
      return 'Use a key that may do this: an owner key manages, a development or live key checks.';
    case 'plan_limit':
      return 'Ask whoever runs the service to grant it, or revoke keys that are no longer used.';
    case 'signup_closed':
      return 'Ask whoever runs the service for a workspace, then sign in with its owner key.';
    case 'rate_limited':
    case 'overloaded':
    case 'store_unavailable':
    case 'clock_behind':
      return `Try again${retryAfterSeconds === null ? ' in a moment' : ` in ${inWords(retryAfterSeconds)}`}.`;
    case 'quota_exceeded':
      return 'The month’s development checks are used up. A live key has the plan’s allowance.';
    case 'loosening_unconfirmed':
      return 'Read what would be allowed from now on, and confirm it if that is what you want.';
    case 'revision_conflict':
      return 'Somebody applied another bundle meanwhile. Load the running one and look at the difference again.';
    case 'managed_by_folder':
      return 'The bundle comes from a folder on the service’s machine; change it there.';
    case 'last_owner_key':
      return 'Make another owner key that does not expire, then revoke this one.';
    default:
      return null;
  }
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} minutes`;
  return `${Math.round(seconds / 3_600)} hours`;
}
