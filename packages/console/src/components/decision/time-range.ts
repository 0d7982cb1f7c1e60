/** The time ranges to choose from, and the bars of each chart. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@writecheck/contract';

const WEEK_MS = 7 * DAY_MS;
/** 1970 began on a Thursday; the first Monday came four days later. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

export interface TimeRange {
  readonly name: string;
  readonly label: string;
  readonly bars: number;
  readonly barMs: number;
  /** The service counts by hour and by day; by minute this page counts. */
  readonly step: 'minute' | 'hour' | 'day';
}

export const TIME_RANGES: readonly TimeRange[] = [
  { name: '1h', label: 'Last hour', bars: 60, barMs: MINUTE_MS, step: 'minute' },
  { name: '24h', label: 'Last 24 hours', bars: 24, barMs: HOUR_MS, step: 'hour' },
  { name: '7d', label: 'Last 7 days', bars: 28, barMs: 6 * HOUR_MS, step: 'hour' },
  { name: '30d', label: 'Last 30 days', bars: 30, barMs: DAY_MS, step: 'day' },
  { name: '1y', label: 'Last year', bars: 52, barMs: WEEK_MS, step: 'day' },
];

export function rangeOf(name: string | null): TimeRange {
  return TIME_RANGES.find((each) => each.name === name) ?? TIME_RANGES[2]!;
}

/** The last bar contains the current time. Bars begin at fixed moments (UTC), so that history keeps its shape. */
export function startOf({ bars, barMs }: TimeRange, nowMs: number): number {
  const offsetMs = barMs === WEEK_MS ? FIRST_MONDAY_MS : 0;
  const endMs = (Math.floor((nowMs - offsetMs) / barMs) + 1) * barMs + offsetMs;
  return endMs - bars * barMs;
}

const BARS_MAX = 60;
const WIDTHS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS, WEEK_MS];

/** Between two moments: as many bars as fit well, down to a minute each. */
export function rangeBetween(fromMs: number, toMs: number): TimeRange {
  const spanMs = Math.max(MINUTE_MS, toMs - fromMs);
  const barMs = WIDTHS_MS.find((each) => spanMs / each <= BARS_MAX) ?? WEEK_MS;
  const bars = Math.max(1, Math.ceil(spanMs / barMs));
  return {
    name: `${fromMs}-${toMs}`,
    label: 'This time range',
    bars,
    barMs,
    step: barMs < HOUR_MS ? 'minute' : barMs < DAY_MS ? 'hour' : 'day',
  };
}
