/** Reads several pages of decisions, up to a limit, for counts and searches that the API does not offer. */

import type { DecisionSummary } from '@writecheck/api';
import type { Reply } from '../../api.ts';
import { type DecisionQuery, listDecisions } from '../../calls/decisions.ts';
import { mapped, readPages } from '../../replies.ts';

const PAGE_SIZE = 200;
export const SCAN_MAX = 2_000;

interface Scan {
  /** Newest first. */
  readonly rows: readonly DecisionSummary[];
  /** Whether these are all; otherwise the newest. */
  readonly isComplete: boolean;
}

export async function scanDecisions(
  query: DecisionQuery,
  signal: AbortSignal,
  max = SCAN_MAX,
): Promise<Reply<Scan>> {
  const read = (cursor: string) => listDecisions({ ...query, limit: String(PAGE_SIZE), cursor }, signal);
  const pages = await readPages(max, read, ({ decisions }) => decisions);
  return mapped(pages, ({ rows, nextCursor }) => ({ rows, isComplete: nextCursor === null }));
}
