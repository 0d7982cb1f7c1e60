/** The filters of the decision list that show what filled one group of a limit. */
import { limitWindow, stepOf } from '@writecheck/contract';
import type { LimitDocument } from '@writecheck/engine';

/** Members that the list can filter by exactly. */
const FILTERS: { readonly [path: string]: string } = {
  'intent.system': 'system',
  'intent.objectRef': 'objectRef',
  'intent.workflowId': 'workflowId',
  'intent.runId': 'runId',
  key: 'keyId',
};

export function drawsQuery(
  document: LimitDocument | null,
  texts: readonly string[],
  per: string,
  nowMs: number,
): { readonly [name: string]: string } {
  const window = limitWindow(per);
  const fromMs =
    window === null ? nowMs : window.kind === 'rolling' ? nowMs - window.ms : stepOf(window, nowMs);
  const query: { [name: string]: string } = { decision: 'allow', from: new Date(fromMs).toISOString() };
  const system = document?.match?.system;
  if (typeof system === 'string' && !system.includes('*')) query.system = system;
  for (const [at, path] of (document?.by ?? []).entries()) {
    const text = texts[at];
    if (text === undefined) continue;
    const filter = FILTERS[path];
    // The list finds one text among the values; a currency would find too much.
    if (filter === undefined && !/currency$/i.test(path)) query.q ??= text;
    else if (filter !== undefined) query[filter] ??= text;
  }
  return query;
}
