/** Lists allows by their outcome. */
import type { OutcomeResult } from '@writecheck/contract';
import type { DecisionPage, DecisionQuery, DecisionSummary, Decisions, Store } from '@writecheck/store/port';

/** How many allows one request reads; the next page continues there. */
const LOOKED_AT_MAX = 10_000;
const PAGE = 500;

export type ListStore = Pick<Decisions, 'listDecisions'> & Pick<Store, 'outcomesOf'>;
type WantedOutcome = OutcomeResult | 'missing';

export async function listByOutcome(
  store: ListStore,
  query: DecisionQuery,
  wanted: WantedOutcome,
  nowMs: number,
): Promise<DecisionPage> {
  const { limit } = query;
  if ((query.decision ?? 'allow') !== 'allow') return { kind: 'page', decisions: [], nextCursor: null };
  const asked: DecisionQuery = {
    ...query,
    decision: 'allow',
    limit: PAGE,
    // While an allow is valid, its outcome is not missing yet.
    ...(wanted === 'missing' ? { overAtMs: nowMs } : {}),
  };
  const found: DecisionSummary[] = [];
  let from: Pick<DecisionQuery, 'cursor'> = {};
  for (let looked = 0; looked < LOOKED_AT_MAX; looked += PAGE) {
    const page = await store.listDecisions({ ...asked, ...from });
    if (page.kind === 'bad_cursor') return page;
    const isWanted = await judgeWith(store, query.workspace, page.decisions, wanted);
    for (const [i, one] of page.decisions.entries()) {
      if (!isWanted(one)) continue;
      found.push(one);
      if (found.length < limit) continue;
      // A list that ends here gives the cursor of this place.
      const upToHere = await store.listDecisions({ ...asked, ...from, limit: i + 1 });
      return upToHere.kind === 'page' ? { ...upToHere, decisions: found } : upToHere;
    }
    if (page.nextCursor === null) return { kind: 'page', decisions: found, nextCursor: null };
    from = { cursor: page.nextCursor };
  }
  return { kind: 'page', decisions: found, nextCursor: from.cursor ?? null };
}

async function judgeWith(
  store: ListStore,
  workspace: string,
  decisions: readonly DecisionSummary[],
  wanted: WantedOutcome,
): Promise<(one: DecisionSummary) => boolean> {
  const ids = decisions.map(({ decisionId }) => decisionId);
  const outcomes = ids.length === 0 ? [] : await store.outcomesOf(workspace, ids);
  const results = new Map(outcomes.map(({ decisionId, result }) => [decisionId, result]));
  return ({ decisionId }) => (results.get(decisionId) ?? 'missing') === wanted;
}
