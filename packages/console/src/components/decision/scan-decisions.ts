/** Reads several pages of decisions, up to a limit, for counts and searches that the API does not offer. */
import type { DecisionSummary } from '@writecheck/api';
import { type Reply, success } from '../../api.ts';
import { type DecisionQuery, listDecisions } from '../../calls/decisions.ts';

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
  const rows: DecisionSummary[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await listDecisions(
      { ...query, limit: String(PAGE_SIZE), ...(cursor === undefined ? {} : { cursor }) },
      signal,
    );
    if (page.kind === 'failure') return page;
    rows.push(...page.value.decisions);
    cursor = page.value.nextCursor ?? undefined;
    if (cursor === undefined || rows.length >= max)
      return success({ rows, isComplete: cursor === undefined });
  }
}
