/** Which agents were stopped in the last 24 hours and why, over the very hours that the overview's figures count. */

import type { DecisionSummary, Key } from '@writecheck/api';
import { DAY_MS, HOUR_MS } from '@writecheck/contract';
import { success } from '../../api.ts';
import { nowThere } from '../../calls/decisions.ts';
import { joined, type ValueOf } from '../../replies.ts';
import { markLookAlikes } from '../decision/details.ts';
import { scanDecisions } from '../decision/scan-decisions.ts';

/** `since`: the first whole hour of the last 24; `from`: the same a day earlier. */
export function lastDay(nowMs: number): { readonly from: number; readonly since: number } {
  const since = (Math.floor((nowMs - DAY_MS) / HOUR_MS) + 1) * HOUR_MS;
  return { from: since - DAY_MS, since };
}

export type AgentStops = ReturnType<typeof stopsOf>[number];
export type Stops = ValueOf<typeof agentStops>;

type Row = Pick<DecisionSummary, 'keyId' | 'keyName' | 'decision' | 'reason_code' | 'timestamp'>;

export function stopsOf(rows: readonly Row[], sinceMs: number) {
  return [...Map.groupBy(rows, ({ keyId }) => keyId)]
    .map(([keyId, own]) => {
      const lately = own.filter(({ timestamp }) => Date.parse(timestamp) >= sinceMs);
      const pause = lately.filter(({ decision }) => decision === 'pause').length;
      const earlier = own.filter((row) => !lately.includes(row) && row.decision === 'pause');
      return {
        keyId,
        name: own.find(({ keyName }) => keyName !== null)?.keyName ?? keyId,
        pause,
        block: lately.length - pause,
        /** In the days before. */
        pausedBefore: earlier.length,
        reasons: reasonsOf(lately),
      };
    })
    .sort((a, b) => b.pause + b.block - (a.pause + a.block));
}

/** Codes of what was stopped, commonest first. */
export function reasonsOf(rows: readonly Pick<Row, 'reason_code'>[]): readonly (readonly [string, number])[] {
  return [...Map.groupBy(rows, ({ reason_code }) => reason_code)]
    .map(([code, { length }]) => [code, length] as const)
    .sort(([, a], [, b]) => b - a);
}

/** Fewer pauses, or fewer days to compare with, say nothing. */
const PAUSES_MIN = 10;
const DAYS_MIN = 3;
const RISE_MIN = 2;
/** The threshold for an agent without a history. */
const NEW_PAUSES_MIN = 20;
const USUAL_DAYS = 7;

/** `usual` is pauses a day; null for a new agent. The agents that were paused well more often than is usual for them; a new key has nothing usual, so many pauses count. */
export function risesIn({ agents, since, days }: Stops, keys: readonly Pick<Key, 'id' | 'createdAt'>[]) {
  const created = new Map(keys.map(({ id, createdAt }) => [id, Date.parse(createdAt)]));
  return agents.flatMap((agent): readonly { readonly agent: AgentStops; readonly usual: number | null }[] => {
    const madeMs = created.get(agent.keyId) ?? Number.POSITIVE_INFINITY;
    const age = (Date.parse(since) - madeMs) / DAY_MS;
    if (Number.isFinite(madeMs) && age < DAYS_MIN)
      return agent.pause >= NEW_PAUSES_MIN ? [{ agent, usual: null }] : [];
    const known = Math.min(days, age);
    const usual = agent.pausedBefore / known;
    const isRise = known >= DAYS_MIN && agent.pause >= PAUSES_MIN && agent.pause >= RISE_MIN * usual;
    return isRise ? [{ agent, usual }] : [];
  });
}

/** Reads them. */
export async function agentStops(signal: AbortSignal) {
  const { since } = lastDay(await nowThere(signal));
  const [weekBefore, begin] = [since - USUAL_DAYS * DAY_MS, since].map((ms) => new Date(ms).toISOString());
  const read = await joined([
    scanDecisions({ decision: 'pause', from: weekBefore! }, signal),
    scanDecisions({ decision: 'block', from: begin! }, signal),
  ]);
  if (read.kind === 'failure') return read;
  const [{ rows, isComplete }, blocked] = read.value;
  const agents = stopsOf(await markLookAlikes([...rows, ...blocked.rows], signal), since);
  const days = isComplete ? USUAL_DAYS : (since - Date.parse(rows.at(-1)?.timestamp ?? begin!)) / DAY_MS;
  return success({ agents, since: begin!, days, isComplete: days > 0 && blocked.isComplete });
}
