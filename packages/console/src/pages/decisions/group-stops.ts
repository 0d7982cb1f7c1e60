/** Stops that repeat and are not an agent's normal work: one run, or one agent without runs, stopped again and again for one reason. */
import type { DecisionSummary } from '@writecheck/api';
import { HOUR_MS } from '@writecheck/contract';
import { LOOK_ALIKE } from '../../components/decision/reason-labels.ts';

export interface StopGroup {
  readonly keyId: string;
  readonly agent: string;
  readonly runId: string | null;
  readonly code: string;
  readonly count: number;
  readonly from: string;
  readonly to: string;
}

/**
 * The largest first; fewer than `least` are read one by one. What an agent repeats in many runs, a few times in each, is one
 * group without a run. `rows` are newest first.
 */
export function groupStops(rows: readonly DecisionSummary[], least: number): readonly StopGroup[] {
  const repeated = (groups: readonly StopGroup[]) => groups.filter(({ count }) => count >= least);
  const byRun = repeated(grouped(rows, (row) => row.runId));
  const known = new Set(byRun.map(({ keyId, code }) => JSON.stringify([keyId, code])));
  const byAgent = repeated(grouped(rows, () => null)).filter(
    ({ keyId, code }) => !known.has(JSON.stringify([keyId, code])),
  );
  return [...byRun, ...byAgent].filter(isUrgent).sort((a, b) => b.count - a.count);
}

const BURST_MS = HOUR_MS;

/** A burst, or values that deceive: somebody may want to freeze the agent. Days of pauses are its normal work. */
function isUrgent({ code, from, to }: StopGroup): boolean {
  return code === LOOK_ALIKE || Date.parse(to) - Date.parse(from) <= BURST_MS;
}

function grouped(
  rows: readonly DecisionSummary[],
  runOf: (row: DecisionSummary) => string | null,
): readonly StopGroup[] {
  const groups = new Map<string, StopGroup>();
  for (const row of rows) {
    const { keyId, keyName, reason_code: code, timestamp } = row;
    const runId = runOf(row);
    const which = JSON.stringify([keyId, runId, code]);
    const known = groups.get(which);
    groups.set(
      which,
      known === undefined
        ? { keyId, agent: keyName ?? keyId, runId, code, count: 1, from: timestamp, to: timestamp }
        : { ...known, count: known.count + 1, from: timestamp },
    );
  }
  return [...groups.values()];
}
