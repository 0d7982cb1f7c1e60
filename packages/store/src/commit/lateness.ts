/** Limits how much older than the newest record of its log a record may be when it is committed. */
import type { CommitRequest } from '../port/commit.ts';

/** Looking up a decision by its time relies on this, so a request that waited longer is refused. */
export const LATENESS_MS_MAX = 30_000;

export function isLate(requests: readonly Pick<CommitRequest, 'atMs'>[], newestMs: number): boolean {
  return requests.some(({ atMs }) => atMs < newestMs - LATENESS_MS_MAX);
}
