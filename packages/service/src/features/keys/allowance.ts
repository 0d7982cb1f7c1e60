/** The monthly allowance: how much, and which month a moment belongs to (UTC). */

export const DEVELOPMENT_CHECKS_A_MONTH = 1_000;

interface CalendarMonth {
  /** Such as `2026-11`. */
  readonly period: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

export function calendarMonth(nowMs: number): CalendarMonth {
  const now = new Date(nowMs);
  const year = now.getUTCFullYear();
  const month = now.getUTCMonth();
  return {
    period: now.toISOString().slice(0, 7),
    startsAtMs: Date.UTC(year, month),
    endsAtMs: Date.UTC(year, month + 1),
  };
}
