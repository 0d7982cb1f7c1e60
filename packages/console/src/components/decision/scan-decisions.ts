/** Reads the newest decisions of a query, page by page up to a maximum. */
import { type DecisionQuery, listDecisions } from '../../calls/decisions.ts';
import { mapped, readPages } from '../../replies.ts';

const PAGE_SIZE = 200;
export const SCAN_MAX = 2_000;

export async function scanDecisions(query: DecisionQuery, signal: AbortSignal, max = SCAN_MAX) {
  const read = (cursor: string) => listDecisions({ ...query, limit: String(PAGE_SIZE), cursor }, signal);
  const pages = await readPages(max, read, ({ decisions }) => decisions);
  // Newest first; unless these are all, the newest.
  return mapped(pages, ({ rows, nextCursor }) => ({ rows, isComplete: nextCursor === null }));
}
