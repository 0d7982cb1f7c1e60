/** Which agents were stopped in the last 24 hours and why, over the very hours that the overview's figures count. */

import type { DecisionSummary } from '@writecheck/api';
import { type Reply, success } from '../../api.ts';
import { nowThere } from '../../calls/decisions.ts';
import { markLookAlikes } from '../decision/details.ts';
import { scanDecisions } from '../decision/scan-decisions.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** `since`: the first whole hour of the last 24; `from`: the same a day earlier. */
export function lastDay(nowMs: number): { readonly from: number; readonly since: number } {
  const since = (Math.floor((nowMs - DAY_MS) / HOUR_MS) + 1) * HOUR_MS;
  return { from: since - DAY_MS, since };
}

export interface AgentStops {
  readonly keyId: string;
  readonly name: string;
  readonly pause: number;
  readonly block: number;
  /** Paused in the 24 hours before. */
  readonly pausedBefore: number;
  /** Reason codes, commonest first. */
  readonly reasons: readonly (readonly [string, number])[];
}

export interface Stops {
  /** Those stopped most come first. */
  readonly agents: readonly AgentStops[];
  readonly since: string;
  /** False if there were more stopped writes than this page reads; then no agent rises. */
  readonly isComplete: boolean;
}

type Row = Pick<DecisionSummary, 'keyId' | 'keyName' | 'decision' | 'reason_code' | 'timestamp'>;

export function stopsOf(rows: readonly Row[], sinceMs: number): readonly AgentStops[] {
  return [...Map.groupBy(rows, ({ keyId }) => keyId)]
    .map(([keyId, own]) => {
      const lately = own.filter(({ timestamp }) => Date.parse(timestamp) >= sinceMs);
      const pause = lately.filter(({ decision }) => decision === 'pause').length;
      const earlier = own.filter((row) => !lately.includes(row) && row.decision === 'pause');
      const byReason = Map.groupBy(lately, ({ reason_code }) => reason_code);
      return {
        keyId,
        name: own.find(({ keyName }) => keyName !== null)?.keyName ?? keyId,
        pause,
        block: lately.length - pause,
        pausedBefore: earlier.length,
        reasons: [...byReason]
          .map(([code, { length }]) => [code, length] as const)
          .sort(([, a], [, b]) => b - a),
      };
    })
    .sort((a, b) => b.pause + b.block - (a.pause + a.block));
}

/** Fewer pauses say nothing. */
const PAUSES_MIN = 5;
const RISE_MIN = 1.5;

/** Whether an agent was paused well more often than in the 24 hours before. */
export function isRising({ pause, pausedBefore }: Pick<AgentStops, 'pause' | 'pausedBefore'>): boolean {
  return pause >= PAUSES_MIN && pause >= RISE_MIN * pausedBefore;
}

/** Reads them. */
export async function agentStops(signal: AbortSignal): Promise<Reply<Stops>> {
  const { from, since } = lastDay(await nowThere(signal));
  const asked = { from: new Date(from).toISOString() };
  const [paused, blocked] = await Promise.all([
    scanDecisions({ decision: 'pause', ...asked }, signal),
    scanDecisions({ decision: 'block', ...asked }, signal),
  ]);
  if (paused.kind === 'failure') return paused;
  if (blocked.kind === 'failure') return blocked;
  const stopped = await markLookAlikes([...paused.value.rows, ...blocked.value.rows], signal);
  const agents = stopsOf(stopped, since);
  const isComplete = paused.value.isComplete && blocked.value.isComplete;
  return success({ agents, since: new Date(since).toISOString(), isComplete });
}
