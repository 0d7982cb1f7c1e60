/** The time that a decision's id contains, for finding the decision without an index. */

const DECISION_ID = /^dec_([0-9a-f]{12})[0-9a-f]{20}$/;

/** No decision of that time or later has a lower id. */
export function firstIdAt(ms: number): string {
  return `dec_${Math.max(0, ms).toString(16).padStart(12, '0')}`;
}

/** Null if it is not the id of a decision. */
export function decisionTimeMs(decisionId: string): number | null {
  const time = DECISION_ID.exec(decisionId)?.[1];
  return time === undefined ? null : Number.parseInt(time, 16);
}
