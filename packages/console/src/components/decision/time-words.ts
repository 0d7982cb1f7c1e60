/** Stretches of time in words: of a filter, of a bar, and along the axis of a chart. */

import { DAY_MS } from '@writecheck/contract';
import { dayOf, utcDay } from '../moment.tsx';
import type { TimeRange } from './time-range.ts';

export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

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

/**
 * Six or seven where there are enough bars, each at the start of its bar. Bars shorter than a day are read by days,
 * so their ticks stand where each of the reader's days begins, which in most time zones is within a bar. `at` is how far
 * along the axis, from 0 to 1.
 */
export function ticksOf(bars: readonly Stretch[], { barMs, bars: count }: TimeRange, isUpToNow: boolean) {
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return [];
  const spanMs = last.toMs - first.fromMs;
  const isShort = spanMs <= DAY_MS;
  const days = barMs < DAY_MS ? daysWithin(first.fromMs, last.toMs) : [];
  const isByDay = days.length >= DAYS_MIN;
  const starts = isByDay ? days : bars.map(({ fromMs }) => fromMs);
  const step = STEPS.find((each) => starts.length / each <= TICKS_MAX) ?? Math.ceil(count / TICKS_MAX);
  const apartMs = (isByDay ? DAY_MS : barMs) * step;
  const textAt = (ms: number) => (isByDay ? dayOf(new Date(ms)) : tickText(ms, isShort, apartMs));
  const ticks = starts
    .filter((_, at) => at % step === 0)
    .map((ms) => ({ ms, at: (ms - first.fromMs) / spanMs }))
    // A label close to the end would be printed over it; its line stays.
    .map(({ ms, at }) => ({ text: at < 1 - 0.5 / TICKS_MAX ? textAt(ms) : '', at }));
  const end = isByDay ? tickText(last.toMs, false, barMs) : textAt(last.toMs);
  return [...ticks, { text: isUpToNow ? 'now' : end, at: 1 }];
}

/** Fewer would say too little of a stretch; hours are shown then, each with its date. */
const DAYS_MIN = 3;

/** Where days begin for the reader, whatever the clocks did in between. */
function daysWithin(fromMs: number, toMs: number): readonly number[] {
  const day = new Date(fromMs);
  day.setHours(0, 0, 0, 0);
  const found: number[] = [];
  for (; day.getTime() < toMs; day.setDate(day.getDate() + 1))
    if (day.getTime() >= fromMs) found.push(day.getTime());
  return found;
}

function tickText(ms: number, isShort: boolean, apartMs: number): string {
  const moment = new Date(ms);
  if (isShort) return CLOCK.format(moment);
  if (apartMs < DAY_MS) return `${dayOf(moment)}, ${CLOCK.format(moment)}`;
  return apartMs % DAY_MS === 0 && isUtcDay(ms) ? utcDay(moment) : dayOf(moment);
}
