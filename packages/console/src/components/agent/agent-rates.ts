/** How many checks each key sent and how many were stopped, by UTC day. */

import { DAY_MS } from '@writecheck/contract';
import { call, success } from '../../api.ts';
import { nowThere } from '../../calls/decisions.ts';
import { joined, type ValueOf } from '../../replies.ts';
import { markLookAlikes } from '../decision/details.ts';
import { scanDecisions } from '../decision/scan-decisions.ts';
import { utcDay } from '../moment.tsx';
import { reasonsOf } from './agent-stops.ts';

export const AGENT_DAYS = 7;

export interface DayRate {
  /** Such as `2026-11-16`. */
  readonly day: string;
  readonly checks: number;
  readonly pause: number;
  readonly block: number;
}

export type AgentRates = ValueOf<typeof agentRates>;

export async function agentRates(signal: AbortSignal) {
  const nowMs = await nowThere(signal);
  const days = Array.from({ length: AGENT_DAYS }, (_, at) =>
    new Date(nowMs - (AGENT_DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
  const from = `${days[0]}T00:00:00.000Z`;
  const months = [...new Set(days.map((day) => day.slice(0, 7)))];
  const read = await joined([
    scanDecisions({ decision: 'pause', from }, signal),
    scanDecisions({ decision: 'block', from }, signal),
    joined(months.map((period) => call('GET /v1/usage/daily', { query: { period }, signal }))),
  ]);
  if (read.kind === 'failure') return read;
  const [paused, blocked, usage] = read.value;
  const checked = usage.flatMap((month) => month.days).filter(({ day }) => days.includes(day));
  const stopped = await markLookAlikes([...paused.rows, ...blocked.rows], signal);
  const checksOf = Map.groupBy(checked, ({ keyId }) => keyId);
  const stopsOf = Map.groupBy(stopped, ({ keyId }) => keyId);
  const byKey = [...new Set([...checksOf.keys(), ...stopsOf.keys()])].map((keyId) => {
    const count = (decision: string, day: string) =>
      (stopsOf.get(keyId) ?? []).filter((row) => row.decision === decision && row.timestamp.startsWith(day))
        .length;
    const ofDays = days.map((day) => ({
      day,
      checks: (checksOf.get(keyId) ?? []).reduce(
        (sum, each) => sum + (each.day === day ? each.checks : 0),
        0,
      ),
      pause: count('pause', day),
      block: count('block', day),
    }));
    return [keyId, ofDays] as const;
  });
  return success({
    byKey: new Map(byKey),
    days,
    reasons: new Map([...stopsOf].map(([keyId, rows]) => [keyId, reasonsOf(rows)])),
    isComplete: paused.isComplete && blocked.isComplete,
  });
}

/** The same days as filters of the decision list, so that it counts the same writes. */
export function daysOf({ days }: AgentRates): { readonly from: string; readonly to: string } {
  const end = Date.parse(days.at(-1)!) + DAY_MS;
  return { from: `${days[0]}T00:00:00.000Z`, to: new Date(end).toISOString() };
}

/** Named by its first day: "Last 7 days" of the decision list are other hours. */
export function spanOf({ days }: Pick<AgentRates, 'days'>): string {
  return `Since ${utcDay(new Date(days[0]!))}, UTC days`;
}

export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

export function inPercent(share: number): string {
  return `${Math.round(share * 100)}\u00a0%`;
}
