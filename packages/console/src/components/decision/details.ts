/** Reads the intents of listed decisions, which lists do not carry, and keeps them: a decision never changes. */

import type { DecisionDetail, DecisionSummary } from '@writecheck/api';
import { areLookAlikes } from '@writecheck/contract';
import { useEffect, useState } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { readDecision } from '../../calls/decisions.ts';
import { LOOK_ALIKE } from './reason-labels.ts';
import type { SaidIntent } from './said-in-intent.ts';

const AT_ONCE = 6;
const KEPT_MAX = 1_500;
const kept = new Map<string, DecisionDetail>();

export function keptDetail(id: string): DecisionDetail | undefined {
  return kept.get(id);
}

/** Empty until it is read. */
export function intentOf({ decision_id }: DecisionSummary): SaidIntent {
  return kept.get(decision_id)?.intent ?? {};
}

/** The agent's value and the source's if they look the same and are not; null if not, or if the decision is not read. */
export function lookAlikesIn(id: string): readonly [string, string] | null {
  const { agentValue, authorityValue } = kept.get(id)?.intent ?? {};
  if (typeof agentValue !== 'string' || typeof authorityValue !== 'string') return null;
  return areLookAlikes(agentValue, authorityValue) ? [agentValue, authorityValue] : null;
}

/** Each costs a request; older ones keep the reason of the service. */
const MARKED_MAX = 40;

/** The same rows, newest first, with those that only looked right under a reason of their own. */
export async function markLookAlikes(
  rows: readonly DecisionSummary[],
  signal: AbortSignal,
): Promise<readonly DecisionSummary[]> {
  const differing = rows.filter(({ reason_code }) => reason_code === 'authority_mismatch');
  await readDetails(
    differing.slice(0, MARKED_MAX).map(({ decision_id }) => decision_id),
    signal,
  );
  return rows.map(markedIfRead);
}

/** The row, under the reason of its own if its values are read and only look alike. */
export function markedIfRead(row: DecisionSummary): DecisionSummary {
  return row.reason_code === 'authority_mismatch' && lookAlikesIn(row.decision_id) !== null
    ? { ...row, reason_code: LOOK_ALIKE }
    : row;
}

/** Why a decision has no values to read, and never will. */
const GONE: readonly string[] = ['decision_erased', 'not_found'];
const gone = new Set<string>();
/** The status of a decision that the service itself fails to read. */
export const UNREADABLE = 500;

/** Whether all that can be known of a decision is known. */
export function isRead(id: string): boolean {
  return kept.has(id) || gone.has(id);
}

/** Returns a failure: the rows stay without their values. One that the service cannot read itself keeps none of the others back. */
export async function readDetails(ids: readonly string[], signal: AbortSignal): Promise<Failure | null> {
  const missing = ids.filter((id) => !isRead(id));
  let unreadable: Failure | null = null;
  for (let at = 0; at < missing.length; at += AT_ONCE) {
    if (signal.aborted) return null;
    const asked = missing.slice(at, at + AT_ONCE);
    const read = await Promise.all(asked.map((id) => readDecision(id, signal)));
    for (const [index, outcome] of read.entries()) {
      if (outcome.kind === 'success') kept.set(outcome.value.decision_id, outcome.value);
      else if (GONE.includes(outcome.code)) gone.add(asked[index]!);
      else if (outcome.status === UNREADABLE) unreadable = outcome;
      else return outcome;
    }
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_MAX) break;
      kept.delete(oldest);
    }
  }
  return unreadable;
}

/** Re-renders once the values of these rows are known. */
export function useDetails(rows: readonly DecisionSummary[]): void {
  const [, setRound] = useState(0);
  const ids = rows.map(({ decision_id }) => decision_id).join(' ');
  useEffect(() => {
    const leaving = new AbortController();
    const wanted = ids === '' ? [] : ids.split(' ');
    if (wanted.every(isRead)) return;
    readDetails(wanted, leaving.signal).then(() => {
      if (!leaving.signal.aborted) setRound((round) => round + 1);
    });
    return () => leaving.abort();
  }, [ids]);
}
