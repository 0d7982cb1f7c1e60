/**
 * Keeps the kinds of decisions that each day has, and their hours. A list with filters reads only those hours, so a
 * filter that finds nothing reads no decisions. A day may name a kind that pruning has removed, but never lacks one.
 */
import { DAY_MS, HOUR_MS } from '@writecheck/contract';
import type { DecisionQuery } from '../port/decisions.ts';
import type { IndexedDecision } from './index-rows.ts';

const HOURS_A_DAY = 24;
/** A day with more kinds counts further ones as "any", which every filter matches: callers choose some of the names. */
export const KINDS_A_DAY = 500;

/** Consists of columns that have few values, so that their combinations are few too. */
export interface KindOfDay {
  readonly workspace: string;
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly key_id: string;
  readonly decision: string;
  readonly evaluated_decision: string;
  readonly reason_code: string;
  readonly system: string;
  readonly workflow_id: string;
  /** One bit for each hour that has it. */
  readonly hours: number;
}

export function kindsOf(decisions: readonly IndexedDecision[]): readonly KindOfDay[] {
  const kinds = new Map<string, KindOfDay & { hours: number }>();
  for (const row of decisions) {
    const values = {
      workspace: row.workspace,
      day: Math.floor(row.atMs / DAY_MS),
      key_id: row.keyId,
      decision: row.decision,
      evaluated_decision: row.evaluatedDecision,
      reason_code: row.reasonCode,
      system: row.system,
      workflow_id: row.workflowId ?? '',
    };
    const bit = 1 << Math.floor((row.atMs % DAY_MS) / HOUR_MS);
    const key = JSON.stringify(values);
    const kind = kinds.get(key);
    if (kind === undefined) kinds.set(key, { ...values, hours: bit });
    else kind.hours |= bit;
  }
  return [...kinds.values()];
}

/** False for objects and runs: they have so many values that their own index finds a few decisions directly. */
export function isByKind(query: DecisionQuery): boolean {
  const { keyId, decision, reasonCode, system, workflowId, isWarned, objectRef, runId } = query;
  const named = [keyId, decision, reasonCode, system, workflowId, isWarned];
  return objectRef === undefined && runId === undefined && named.some((value) => value !== undefined);
}

/** The days a query looks at, both included, given the time of its cursor. */
export function daysOf(
  { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER, order }: DecisionQuery,
  cursorMs: number | null,
): { readonly first: number; readonly last: number } {
  const isOldest = order === 'oldest';
  const from = cursorMs !== null && isOldest ? Math.max(fromMs, cursorMs) : fromMs;
  const to = cursorMs !== null && !isOldest ? Math.min(toMs - 1, cursorMs) : toMs - 1;
  // A day number fits 32 bits until the year 5 million.
  return { first: dayOf(from), last: dayOf(to) };
}

function dayOf(ms: number): number {
  return Math.max(0, Math.min(2 ** 31 - 1, Math.floor(ms / DAY_MS)));
}

export interface Run {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/** The hours of some days as ranges of time without gaps, in the order of the days, which is that of the list. */
export function runsOf(
  days: readonly { readonly day: number; readonly hours: number }[],
  order: 'newest' | 'oldest',
): readonly Run[] {
  const runs: { fromMs: number; toMs: number }[] = [];
  for (const { day, hours } of days) {
    for (let i = 0; i < HOURS_A_DAY; i += 1) {
      const hour = order === 'oldest' ? i : HOURS_A_DAY - 1 - i;
      if ((hours & (1 << hour)) === 0) continue;
      const fromMs = day * DAY_MS + hour * HOUR_MS;
      const last = runs.at(-1);
      if (last !== undefined && last.fromMs === fromMs + HOUR_MS) last.fromMs = fromMs;
      else if (last !== undefined && last.toMs === fromMs) last.toMs = fromMs + HOUR_MS;
      else runs.push({ fromMs, toMs: fromMs + HOUR_MS });
    }
  }
  return runs;
}
