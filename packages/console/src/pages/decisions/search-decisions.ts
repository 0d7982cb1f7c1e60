/** Finds decisions by any part of what they say, in any case, among the newest that the filters let through. */
import type { DecisionSummary } from '@writecheck/api';
import type { Reply } from '../../api.ts';
import { type DecisionQuery, listDecisions } from '../../calls/decisions.ts';
import { markedCharacters } from '../../components/deceptive-text.ts';
import { keptDetail, lookAlikesIn, readDetails } from '../../components/decision/details.ts';
import { reasonLabel } from '../../components/decision/reason-labels.ts';
import { scanDecisions } from '../../components/decision/scan-decisions.ts';
import type { Filters } from './filters.ts';

/** Values and amounts are in the decisions themselves, each of which costs a request. */
export const VALUES_MAX = 300;
const EXACT_FOUND_MAX = '50';
const EXACT_NAMES = ['objectRef', 'runId', 'workflowId', 'system'] as const;

export interface Found {
  readonly rows: readonly DecisionSummary[];
  /** How many of the newest were searched. */
  readonly searched: number;
  readonly isComplete: boolean;
}

interface Wanted {
  /** Empty for everything. */
  readonly text: string;
  /** Whether only values that look like the right one are wanted. */
  readonly isLookAlike: boolean;
}

export function wantedIn({ q = '', is }: Filters): Wanted {
  return { text: q, isLookAlike: is !== undefined };
}

export async function searchDecisions(
  asked: DecisionQuery,
  { text, isLookAlike }: Wanted,
  max: number,
  signal: AbortSignal,
): Promise<Reply<Found>> {
  const wanted = text.trim().toLowerCase();
  // A value that only looks right is stopped for this reason.
  const query = isLookAlike ? { ...asked, reason_code: 'authority_mismatch' } : asked;
  const scanned = await scanDecisions(query, signal, max);
  if (scanned.kind === 'failure') return scanned;
  const { rows, isComplete } = scanned.value;
  await readDetails(
    rows.slice(0, VALUES_MAX).map(({ decision_id }) => decision_id),
    signal,
  );
  const found = new Map<string, DecisionSummary>();
  for (const row of rows)
    if (saidBy(row).includes(wanted) && (!isLookAlike || lookAlikesIn(row.decision_id) !== null))
      found.set(row.decision_id, row);
  // An exact match is found however old it is.
  if (!isComplete && !isLookAlike)
    for (const name of EXACT_NAMES) {
      if (query[name] !== undefined) continue;
      const exact = await listDecisions({ ...query, [name]: text.trim(), limit: EXACT_FOUND_MAX }, signal);
      if (exact.kind === 'failure') return exact;
      for (const row of exact.value.decisions) found.set(row.decision_id, row);
    }
  const newestFirst = [...found.values()].sort((a, b) => b.timestamp.localeCompare(a.timestamp));
  return { ...scanned, value: { rows: newestFirst, searched: rows.length, isComplete } };
}

function saidBy(row: DecisionSummary): string {
  const detail = keptDetail(row.decision_id);
  const said = [
    row.decision_id,
    row.keyId,
    row.keyName,
    row.system,
    row.objectType,
    row.objectRef,
    row.field,
    row.operation,
    row.workflowId,
    row.runId,
    row.reason_code,
    reasonLabel(row.reason_code),
    ...(detail === undefined
      ? []
      : [detail.intent.agentValue, detail.intent.authorityValue, ...leaves(detail.intent.metadata)]),
  ];
  const texts = said.filter((each) => typeof each === 'string');
  return [...texts, ...texts.flatMap(codesIn)].join('\n').toLowerCase();
}

/** Such as `U+0415`, which the list shows in the place of a character that deceives. */
function codesIn(text: string): readonly string[] {
  if (/^[ -~\n]*$/.test(text)) return [];
  return markedCharacters(text, true).flatMap((odd) => odd?.code ?? []);
}

function leaves(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value), value.toLocaleString('en')];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}
