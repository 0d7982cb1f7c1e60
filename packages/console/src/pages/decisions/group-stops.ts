/** Stops that repeat: one run, or one agent without runs, stopped again and again for one reason. */
import type { DecisionSummary } from '@writecheck/api';

export interface StopGroup {
  readonly keyId: string;
  readonly agent: string;
  readonly runId: string | null;
  readonly code: string;
  readonly count: number;
  readonly from: string;
  readonly to: string;
}

/** Fewer are read one by one. */
const REPEATED_FROM = 3;

/** The largest first. `rows` are newest first. */
export function groupStops(rows: readonly DecisionSummary[]): readonly StopGroup[] {
  const groups = new Map<string, StopGroup>();
  for (const { keyId, keyName, runId, reason_code: code, timestamp } of rows) {
    const which = JSON.stringify([keyId, runId, code]);
    const known = groups.get(which);
    groups.set(
      which,
      known === undefined
        ? { keyId, agent: keyName ?? keyId, runId, code, count: 1, from: timestamp, to: timestamp }
        : { ...known, count: known.count + 1, from: timestamp },
    );
  }
  return [...groups.values()].filter(({ count }) => count >= REPEATED_FROM).sort((a, b) => b.count - a.count);
}
