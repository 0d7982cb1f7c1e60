/** The windows of limits: which draws count at a moment, and until when. */
import { DAY_MS, DURATION_PATTERN, durationMs, HOUR_MS, MINUTE_MS } from './duration.ts';
import { isoTime } from './iso-time.ts';

export const CALENDAR_UNITS = ['hour', 'day', 'week', 'month'] as const;
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

/** Calendar windows are of UTC, weeks begin on Monday. A rolling one moves in steps of a sixtieth of it. */
export type LimitWindow =
  | { readonly kind: 'calendar'; readonly unit: CalendarUnit }
  | { readonly kind: 'rolling'; readonly ms: number };

const ROLLING_MS_MIN = MINUTE_MS;
const ROLLING_MS_MAX = 31 * DAY_MS;
const STEPS = 60;
/** 1970 began on a Thursday. */
const THURSDAY_AFTER_MONDAY = 3;
/** How much older than another a decision may be when it is committed, because of its clock and of waiting. */
export const LATER_MS_MAX = 120_000;

/** Null if a limit cannot have this window. */
export function limitWindow(per: string): LimitWindow | null {
  const unit = CALENDAR_UNITS.find((one) => one === per);
  if (unit !== undefined) return { kind: 'calendar', unit };
  if (!DURATION_PATTERN.test(per)) return null;
  const ms = durationMs(per);
  return ms >= ROLLING_MS_MIN && ms <= ROLLING_MS_MAX ? { kind: 'rolling', ms } : null;
}

/** The draws of each step, in order; a calendar window is one step, named by its beginning. */
export type Draws = readonly (readonly [step: number, amount: bigint])[];

export const NO_DRAWS: Draws = [];

export interface Drawn {
  readonly drawn: bigint;
  /** The end of a calendar window; of a rolling one, when its oldest draw stops counting. */
  readonly resetsAtMs: number | null;
}

/** INVARIANT: 60 t stays below 2^53, so the quotient is never rounded up to the next whole number. */
export function stepOf(window: LimitWindow, atMs: number): number {
  if (window.kind === 'rolling') return Math.floor((STEPS * atMs) / window.ms);
  switch (window.unit) {
    case 'hour':
      return atMs - (atMs % HOUR_MS);
    case 'day':
      return atMs - (atMs % DAY_MS);
    case 'week': {
      const day = Math.floor(atMs / DAY_MS);
      return (day - ((day + THURSDAY_AFTER_MONDAY) % 7)) * DAY_MS;
    }
    case 'month':
      return monthBegin(atMs, 0);
  }
}

function monthBegin(atMs: number, later: number): number {
  const at = new Date(atMs);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + later);
}

export interface CalendarMonth {
  /** Such as `2026-11`. */
  readonly period: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** Cached: nearly every check is in the same month as the check before it. */
let lastMonth: CalendarMonth = { period: '', startsAtMs: 0, endsAtMs: 0 };

/** The month (UTC) that a check is charged to. */
export function calendarMonth(atMs: number): CalendarMonth {
  if (!(atMs >= lastMonth.startsAtMs && atMs < lastMonth.endsAtMs)) {
    const period = isoTime(atMs).slice(0, 7);
    lastMonth = { period, startsAtMs: monthBegin(atMs, 0), endsAtMs: monthBegin(atMs, 1) };
  }
  return lastMonth;
}

/** When a draw of this step stops counting. */
export function stepEndsMs(window: LimitWindow, step: number): number {
  if (window.kind === 'rolling') return Math.ceil(((step + STEPS + 1) * window.ms) / STEPS);
  switch (window.unit) {
    case 'hour':
      return step + HOUR_MS;
    case 'day':
      return step + DAY_MS;
    case 'week':
      return step + 7 * DAY_MS;
    case 'month':
      return monthBegin(step, 1);
  }
}

const UNIT_MS_MAX = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, month: 31 * DAY_MS } as const;

/** How long a draw counts, at most. */
export function windowMs(window: LimitWindow): number {
  return window.kind === 'rolling' ? Math.ceil((window.ms * (STEPS + 1)) / STEPS) : UNIT_MS_MAX[window.unit];
}

/** Whether a draw of the step counts at a moment; in a rolling window, later draws count too. */
export function counts(window: LimitWindow, step: number, atMs: number): boolean {
  return isCounted(window, step, stepOf(window, atMs));
}

function isCounted({ kind }: LimitWindow, step: number, now: number): boolean {
  return kind === 'rolling' ? now - step <= STEPS : step === now;
}

export function drawnAt(window: LimitWindow, draws: Draws, atMs: number): Drawn {
  const now = stepOf(window, atMs);
  let drawn = 0n;
  let oldest: number | null = null;
  for (const [step, amount] of draws) {
    if (amount === 0n || !isCounted(window, step, now)) continue;
    oldest ??= step;
    drawn += amount;
  }
  if (window.kind === 'calendar') return { drawn, resetsAtMs: stepEndsMs(window, now) };
  return { drawn, resetsAtMs: oldest === null ? null : stepEndsMs(window, oldest) };
}

/**
 * A negative amount gives back at most what the step holds. Steps that are over by `newestMs`, even for a late
 * decision, are dropped.
 */
export function withDraw(
  window: LimitWindow,
  draws: Draws,
  step: number,
  amount: bigint,
  newestMs: number,
): Draws {
  const kept: [number, bigint][] = [];
  let isAdded = false;
  for (const [other, known] of draws) {
    if (other === step) isAdded = true;
    const sum = other === step ? known + amount : known;
    if (sum > 0n && !isOver(window, other, newestMs)) kept.push([other, sum]);
  }
  if (!isAdded && amount > 0n) kept.push([step, amount]);
  return kept.sort(([a], [b]) => a - b);
}

/** When the last of the draws stops counting; 0 if there are none. */
export function drawsEndMs(window: LimitWindow, draws: Draws): number {
  const last = draws.at(-1);
  return last === undefined ? 0 : stepEndsMs(window, last[0]);
}

/** Drops draws that are over by `newestMs`, even for a late decision. */
export function openDraws(window: LimitWindow, draws: Draws, newestMs: number): Draws {
  return draws.filter(([step]) => !isOver(window, step, newestMs));
}

function isOver(window: LimitWindow, step: number, newestMs: number): boolean {
  return stepEndsMs(window, step) + LATER_MS_MAX <= newestMs;
}

/** Writes draws in the form in which a store keeps them. */
export function drawsText(draws: Draws): string {
  return draws.map(([step, amount]) => `${step}:${amount}`).join(' ');
}

const DRAW_TEXT = /^\d+:\d+$/;

export function drawsOfText(text: string): Draws {
  if (text === '') return NO_DRAWS;
  return text.split(' ').map((one) => {
    // INVARIANT: an unreadable draw is an error, never nothing drawn.
    if (!DRAW_TEXT.test(one)) throw new TypeError(`a counter cannot be read: ${one}`);
    const [step = '', amount = ''] = one.split(':');
    return [Number(step), BigInt(amount)] as const;
  });
}
