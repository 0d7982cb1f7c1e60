/** How many checks each key sent and how many were stopped, by UTC day. */

import { call, type Reply, success } from '../../api.ts';
import { nowThere } from '../../calls/decisions.ts';
import { joined } from '../../replies.ts';
import { markLookAlikes } from '../decision/details.ts';
import { scanDecisions } from '../decision/scan-decisions.ts';
import { utcDay } from '../moment.tsx';

export const AGENT_DAYS = 7;
const DAY_MS = 86_400_000;

export interface DayRate {
  /** Such as `2026-11-16`. */
  readonly day: string;
  readonly checks: number;
  readonly pause: number;
  readonly block: number;
}

export interface AgentRates {
  /** By key ID; one entry per day, oldest first. */
  readonly byKey: ReadonlyMap<string, readonly DayRate[]>;
  readonly days: readonly string[];
  /** By key ID: reason codes of what was stopped, commonest first. */
  readonly reasons: ReadonlyMap<string, readonly (readonly [string, number])[]>;
  /** False if there were more stopped writes than this page reads. */
  readonly isComplete: boolean;
}

export async function agentRates(signal: AbortSignal): Promise<Reply<AgentRates>> {
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
  const byKey = new Map<string, Map<string, { checks: number; pause: number; block: number }>>();
  const cell = (keyId: string, day: string) => {
    const key = byKey.get(keyId) ?? new Map();
    byKey.set(keyId, key);
    const found = key.get(day) ?? { checks: 0, pause: 0, block: 0 };
    key.set(day, found);
    return found;
  };
  for (const { day, keyId, checks } of usage.flatMap((month) => month.days))
    if (days.includes(day)) cell(keyId, day).checks += checks;
  for (const { keyId, timestamp } of paused.rows) cell(keyId, timestamp.slice(0, 10)).pause += 1;
  for (const { keyId, timestamp } of blocked.rows) cell(keyId, timestamp.slice(0, 10)).block += 1;
  const reasons = new Map<string, Map<string, number>>();
  const marked = await markLookAlikes([...paused.rows, ...blocked.rows], signal);
  for (const { keyId, reason_code: code } of marked) {
    const counted = reasons.get(keyId) ?? new Map<string, number>();
    reasons.set(keyId, counted.set(code, (counted.get(code) ?? 0) + 1));
  }
  const rates = new Map(
    [...byKey].map(([keyId, cells]) => [
      keyId,
      days.map((day) => ({ day, ...(cells.get(day) ?? { checks: 0, pause: 0, block: 0 }) })),
    ]),
  );
  const isComplete = paused.isComplete && blocked.isComplete;
  return success({ byKey: rates, days, reasons: ranked(reasons), isComplete });
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

function ranked(reasons: ReadonlyMap<string, ReadonlyMap<string, number>>): AgentRates['reasons'] {
  return new Map([...reasons].map(([keyId, counted]) => [keyId, [...counted].sort(([, a], [, b]) => b - a)]));
}

export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

export function inPercent(share: number): string {
  return `${Math.round(share * 100)}\u00a0%`;
}
