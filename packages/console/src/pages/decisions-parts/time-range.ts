/** The time ranges to choose from, and the bars of each chart. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface TimeRange {
  readonly name: string;
  readonly label: string;
  readonly bars: number;
  readonly barMs: number;
  readonly step: 'hour' | 'day';
}

export const TIME_RANGES: readonly TimeRange[] = [
  { name: '24h', label: 'Last 24 hours', bars: 24, barMs: HOUR_MS, step: 'hour' },
  { name: '7d', label: 'Last 7 days', bars: 28, barMs: 6 * HOUR_MS, step: 'hour' },
  { name: '30d', label: 'Last 30 days', bars: 30, barMs: DAY_MS, step: 'day' },
  { name: '1y', label: 'Last year', bars: 52, barMs: 7 * DAY_MS, step: 'day' },
];

export function rangeOf(name: string | null): TimeRange {
  return TIME_RANGES.find((each) => each.name === name) ?? TIME_RANGES[1]!;
}

/** The last bar contains the current time. Hours and days are UTC, as the service counts them. */
export function startOf({ bars, barMs, step }: TimeRange, nowMs: number): number {
  const unitMs = step === 'hour' ? HOUR_MS : DAY_MS;
  const endMs = (Math.floor(nowMs / unitMs) + 1) * unitMs;
  return endMs - bars * barMs;
}
