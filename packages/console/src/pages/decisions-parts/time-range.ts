/** The time ranges to choose from, and the bars of each chart. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** 1970 began on a Thursday; the first Monday came four days later. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

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
  { name: '1y', label: 'Last year', bars: 52, barMs: WEEK_MS, step: 'day' },
];

export function rangeOf(name: string | null): TimeRange {
  return TIME_RANGES.find((each) => each.name === name) ?? TIME_RANGES[1]!;
}

/** The last bar contains the current time. Bars begin at fixed moments (UTC), so that history keeps its shape. */
export function startOf({ bars, barMs }: TimeRange, nowMs: number): number {
  const offsetMs = barMs === WEEK_MS ? FIRST_MONDAY_MS : 0;
  const endMs = (Math.floor((nowMs - offsetMs) / barMs) + 1) * barMs + offsetMs;
  return endMs - bars * barMs;
}

/** Between two moments: as many bars as fit well, at most an hour or a day wide where the service counts so. */
export function rangeBetween(fromMs: number, toMs: number): TimeRange {
  const spanMs = Math.max(HOUR_MS, toMs - fromMs);
  const barMs = [HOUR_MS, 6 * HOUR_MS, DAY_MS, WEEK_MS].find((each) => spanMs / each <= 53) ?? WEEK_MS;
  const bars = Math.max(1, Math.ceil(spanMs / barMs));
  return {
    name: `${fromMs}-${toMs}`,
    label: 'This time range',
    bars,
    barMs,
    step: barMs < DAY_MS ? 'hour' : 'day',
  };
}
