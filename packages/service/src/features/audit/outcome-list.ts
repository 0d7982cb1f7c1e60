/** Lists allows by what became of them. */
import { VALIDITY_MS_MAX } from '@writecheck/engine';
import { readRecord } from '@writecheck/ledger';
import type { DecisionPage, DecisionQuery, DecisionSummary, Decisions } from '@writecheck/store/port';
import type { OutcomeResult, Outcomes } from '@writecheck/store/port/outcomes';

/** How many allows one request looks at; the next page continues there. */
const LOOKED_AT_MAX = 10_000;
const PAGE = 200;

type ListStore = Pick<Decisions, 'listDecisions' | 'findDecision'> & Pick<Outcomes, 'outcomesOf'>;
export type WantedOutcome = OutcomeResult | 'missing';

export async function listByOutcome(
  store: ListStore,
  query: DecisionQuery,
  wanted: WantedOutcome,
  nowMs: number,
): Promise<DecisionPage> {
  const { workspace, limit } = query;
  if ((query.decision ?? 'allow') !== 'allow') return { kind: 'page', decisions: [], nextCursor: null };
  const decisions: DecisionSummary[] = [];
  let nextCursor: string | null | undefined;
  for (let looked = 0; looked < LOOKED_AT_MAX && decisions.length < limit && nextCursor !== null; ) {
    const asked = Math.min(PAGE, limit - decisions.length);
    const page = await store.listDecisions({
      ...query,
      decision: 'allow',
      limit: asked,
      ...(nextCursor === undefined ? {} : { cursor: nextCursor }),
    });
    if (page.kind === 'bad_cursor') return page;
    const ids = page.decisions.map(({ decisionId }) => decisionId);
    const found = ids.length === 0 ? [] : await store.outcomesOf(workspace, ids);
    const results = new Map(found.map(({ decisionId, result }) => [decisionId, result]));
    for (const one of page.decisions) {
      const result = results.get(one.decisionId);
      const isIt =
        wanted === 'missing'
          ? result === undefined && (await isOver(store, workspace, one, nowMs))
          : result === wanted;
      if (isIt) decisions.push(one);
    }
    looked += asked;
    nextCursor = page.nextCursor;
  }
  return { kind: 'page', decisions, nextCursor: nextCursor ?? null };
}

/** Whether nothing may come of it any more. */
async function isOver(
  store: ListStore,
  workspace: string,
  { decisionId, atMs }: DecisionSummary,
  nowMs: number,
): Promise<boolean> {
  if (atMs + VALIDITY_MS_MAX <= nowMs) return true;
  const found = await store.findDecision(workspace, decisionId);
  return found !== null && (readRecord(found.record).decision.validUntil ?? 0) <= nowMs;
}
