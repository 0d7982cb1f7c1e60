/** When a freeze may end by itself; the command line follows the same rule as HTTP. */
import { DAY_MS } from '@writecheck/contract';

const OWNERS_MS_MAX = 31 * DAY_MS;
/** The maximum for authors and reviewers: a freeze that nobody lifts must not last. */
export const OTHERS_MS_MAX = DAY_MS;

/** Why a freeze that begins now may not end then, in words that follow the name of the member; null if it may. */
export function untilFault(untilMs: number, nowMs: number, isOwners: boolean): string | null {
  if (untilMs > nowMs && untilMs <= nowMs + (isOwners ? OWNERS_MS_MAX : OTHERS_MS_MAX)) return null;
  const most = isOwners ? '31 days' : '24 hours (an owner may freeze for longer)';
  return `must be in the future, by at most ${most}`;
}
