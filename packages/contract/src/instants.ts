/** Reads RFC 3339 date-times, of which only the offset may be left out; what is no instant is null. */

export interface Instant {
  /** Epoch milliseconds; finer digits are dropped. Read as UTC where there is no offset. */
  readonly ms: number;
  readonly hasOffset: boolean;
  /** The digits of the fraction without trailing zeros, for comparisons finer than a millisecond. */
  readonly fraction: string;
}

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MS_PER_MINUTE = 60_000;
const MINUTES_PER_DAY = 1440;
/** Where the seconds of `YYYY-MM-DDThh:mm:ss` end. */
const SECONDS_END = 19;
const NO_OFFSET = Symbol('no offset');

/** By character codes: a regular expression for the same costs four times as much, on every item of every check. */
export function parseInstant(text: string): Instant | null {
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  const hour = digits(text, 11, 2);
  const minute = digits(text, 14, 2);
  const second = digits(text, 17, 2);
  if (text[4] !== '-' || text[7] !== '-' || text[13] !== ':' || text[16] !== ':') return null;
  if (text[10] !== 'T' && text[10] !== 't') return null;
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return null;

  let at = SECONDS_END;
  if (text[at] === '.') {
    at += 1;
    while (digit(text, at) >= 0) at += 1;
    if (at === SECONDS_END + 1) return null;
  }
  const offset = offsetMinutes(text, at);
  if (offset === null) return null;
  const utcMinutes =
    daysSinceEpoch(year, month, day) * MINUTES_PER_DAY +
    hour * 60 +
    minute -
    (offset === NO_OFFSET ? 0 : offset);
  // A leap second is inserted after 23:59:59 UTC and nowhere else.
  const isLastMinuteOfDay = (utcMinutes + 1) % MINUTES_PER_DAY === 0;
  if (second === 60 && !isLastMinuteOfDay) return null;
  const fraction = withoutTrailingZeros(text.slice(SECONDS_END + 1, at));
  const fractionMs = fraction === '' ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'));
  return {
    ms: utcMinutes * MS_PER_MINUTE + second * 1000 + fractionMs,
    hasOffset: offset !== NO_OFFSET,
    fraction,
  };
}

/** What stands from `at` to the end: nothing, `Z`, or `+hh:mm`; null where it is anything else. */
function offsetMinutes(text: string, at: number): number | typeof NO_OFFSET | null {
  const sign = text[at];
  if (sign === undefined) return NO_OFFSET;
  if (sign === 'Z' || sign === 'z') return text.length === at + 1 ? 0 : null;
  if ((sign !== '+' && sign !== '-') || text.length !== at + 6 || text[at + 3] !== ':') return null;
  const hours = digits(text, at + 1, 2);
  const minutes = digits(text, at + 4, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return null;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes);
}

/** The number that `count` digits make, or -1 where one of them is none. */
function digits(text: string, start: number, count: number): number {
  let value = 0;
  for (let at = start; at < start + count; at += 1) {
    const next = digit(text, at);
    if (next < 0) return -1;
    value = value * 10 + next;
  }
  return value;
}

function digit(text: string, at: number): number {
  const code = text.charCodeAt(at) - 48;
  return code >= 0 && code <= 9 ? code : -1;
}

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : DAYS_IN_MONTH[month - 1]!;
}

/** Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const dayOfMarchYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + dayOfMarchYear - 719_468;
}

/** A loop, because `0+$` as a regular expression is quadratic on `000...01`. */
function withoutTrailingZeros(fraction: string): string {
  let end = fraction.length;
  while (end > 0 && fraction[end - 1] === '0') end -= 1;
  return fraction.slice(0, end);
}
