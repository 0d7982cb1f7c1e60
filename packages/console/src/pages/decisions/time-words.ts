/** Stretches of time in words: of a filter, of a bar, and along the axis of a chart. */
import type { TimeRange } from '../../components/decision/time-range.ts';
import { dayOf, utcDay } from '../../components/moment.tsx';

export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY_MS = 86_400_000;

export function clockOf({ fromMs, toMs }: Stretch): string {
  return `${CLOCK.format(fromMs)}–${CLOCK.format(toMs)}`;
}

/** In the reader's time, except for days that the service counts, which are days in UTC. */
export function stretchOf({ fromMs, toMs }: Stretch): string {
  const [from, to, last] = [new Date(fromMs), new Date(toMs), new Date(toMs - 1)];
  if (isUtcDay(fromMs) && isUtcDay(toMs)) {
    const zone = from.getTimezoneOffset() === 0 ? '' : ' UTC';
    const days = [utcDay(from), utcDay(last)];
    return `${days[0] === days[1] ? days[0] : days.join(' – ')}${zone}`;
  }
  if (startsDay(from) && startsDay(to))
    return isSameDay(from, last) ? dayOf(from) : `${dayOf(from)} – ${dayOf(last)}`;
  if (isSameDay(from, last)) return `${dayOf(from)}, ${clockOf({ fromMs, toMs })}`;
  return `${dayOf(from)}, ${CLOCK.format(from)} – ${dayOf(to)}, ${CLOCK.format(to)}`;
}

function isUtcDay(ms: number): boolean {
  return ms % DAY_MS === 0;
}

function startsDay(at: Date): boolean {
  return at.getHours() + at.getMinutes() === 0;
}

export function isSameDay(a: Date, b: Date): boolean {
  return a.toDateString() === b.toDateString();
}

const TICKS_MAX = 7;
const STEPS = [1, 2, 3, 4, 5, 6, 8, 10];

export interface Tick {
  readonly text: string;
  /** How far along the axis, from 0 to 1. */
  readonly at: number;
}

/** Six or seven where there are enough bars, each at the start of its bar. */
export function ticksOf(
  bars: readonly Stretch[],
  { barMs, bars: count }: TimeRange,
  isUpToNow: boolean,
): readonly Tick[] {
  const step = STEPS.find((each) => count / each <= TICKS_MAX) ?? Math.ceil(count / TICKS_MAX);
  const isShort = barMs * count <= DAY_MS;
  const ticks = bars
    .filter((_, at) => at % step === 0)
    .map(({ fromMs }, at) => ({ text: tickText(fromMs, isShort, barMs * step), at: (at * step) / count }));
  // A label close to the end would be printed over it.
  const kept = ticks.filter(({ at }) => at < 1 - 0.5 / TICKS_MAX);
  const end = bars.at(-1)?.toMs;
  if (end === undefined) return [];
  return [...kept, { text: isUpToNow ? 'now' : tickText(end, isShort, barMs * step), at: 1 }];
}

function tickText(ms: number, isShort: boolean, apartMs: number): string {
  const moment = new Date(ms);
  if (isShort) return CLOCK.format(moment);
  if (apartMs < DAY_MS) return `${dayOf(moment)}, ${CLOCK.format(moment)}`;
  return apartMs % DAY_MS === 0 && isUtcDay(ms) ? utcDay(moment) : dayOf(moment);
}
