/** Parses RFC 3339 date-times; the offset may be missing, anything else is null. */
import { MINUTE_MS } from './duration.ts';

export interface Instant {
  /** Epoch milliseconds, truncated. Without an offset the time is read as UTC. */
  readonly ms: number;
  readonly hasOffset: boolean;
  /** Fraction digits without trailing zeros, for comparisons finer than a millisecond. */
  readonly fraction: string;
}

/** The length of `YYYY-MM-DDThh:mm:ss`. */
const SECONDS_END = 19;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MINUTES_PER_DAY = 1440;
const ZERO = 0x30;
const NINE = 0x39;
const DASH = 0x2d;
const PLUS = 0x2b;
const COLON = 0x3a;
const POINT = 0x2e;
const UPPER_T = 0x54;
const LOWER_T = 0x74;
const UPPER_Z = 0x5a;
const LOWER_Z = 0x7a;

/** Works on character codes and integers, for speed: `npm run bench -- micro`, case `instants`. */
export function parseInstant(text: string): Instant | null {
  if (text.length < SECONDS_END) return null;
  const century = twoDigits(text, 0);
  const yearOfCentury = twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  // INVARIANT: `twoDigits` returns -1 for anything but digits, and `|` with a negative number stays negative.
  if ((century | yearOfCentury | month | day | hour | minute | second) < 0) return null;
  const year = century * 100 + yearOfCentury;
  const inRange =
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(year, month) &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 60;
  if (!inRange || !hasSeparators(text)) return null;
  const fractionEnd = endOfFraction(text);
  const offset = readOffset(text, fractionEnd);
  if (offset === null) return null;
  const utcMinutes = daysSinceEpoch(year, month, day) * MINUTES_PER_DAY + hour * 60 + minute - offset;
  // A leap second is inserted after 23:59:59 UTC and nowhere else.
  if (second === 60 && (utcMinutes + 1) % MINUTES_PER_DAY !== 0) return null;
  const fraction = fractionEnd === SECONDS_END ? '' : digitsOfFraction(text, fractionEnd);
  const fractionMs = fraction === '' ? 0 : millisecondsOf(fraction);
  return {
    ms: utcMinutes * MINUTE_MS + second * 1000 + fractionMs,
    hasOffset: fractionEnd < text.length,
    fraction,
  };
}

function hasSeparators(text: string): boolean {
  const t = text.charCodeAt(10);
  return (
    text.charCodeAt(4) === DASH &&
    text.charCodeAt(7) === DASH &&
    (t === UPPER_T || t === LOWER_T) &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON
  );
}

/** The value of two digits, or -1. INVARIANT: `text` is longer than `at + 1`. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

/** A point without digits is not a fraction; `readOffset` then rejects it. */
function endOfFraction(text: string): number {
  if (text.charCodeAt(SECONDS_END) !== POINT) return SECONDS_END;
  let at = SECONDS_END + 1;
  while (text.charCodeAt(at) >= ZERO && text.charCodeAt(at) <= NINE) at += 1;
  return at === SECONDS_END + 1 ? SECONDS_END : at;
}

/** Minutes east of UTC, 0 without an offset, null for an invalid one. */
function readOffset(text: string, at: number): number | null {
  if (at === text.length) return 0;
  const sign = text.charCodeAt(at);
  if (sign === UPPER_Z || sign === LOWER_Z) return text.length === at + 1 ? 0 : null;
  if ((sign !== PLUS && sign !== DASH) || text.length !== at + 6 || text.charCodeAt(at + 3) !== COLON)
    return null;
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, at + 4);
  if ((hours | minutes) < 0 || hours > 23 || minutes > 59) return null;
  return (sign === DASH ? -1 : 1) * (hours * 60 + minutes);
}

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : DAYS_IN_MONTH[month - 1]!;
}

/** Not Date.UTC, which maps the years 0 to 99 to 1900 to 1999. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const marchMonth = month > 2 ? month - 3 : month + 9;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + Math.floor((153 * marchMonth + 2) / 5) + day - 719_469;
}

function millisecondsOf(digits: string): number {
  const hundreds = digits.charCodeAt(0) - ZERO;
  const tens = digits.length > 1 ? digits.charCodeAt(1) - ZERO : 0;
  const ones = digits.length > 2 ? digits.charCodeAt(2) - ZERO : 0;
  return hundreds * 100 + tens * 10 + ones;
}

/** Drops trailing zeros with a loop, because the regular expression `0+$` is quadratic on `000...01`. */
function digitsOfFraction(text: string, fractionEnd: number): string {
  let end = fractionEnd;
  while (text.charCodeAt(end - 1) === ZERO) end -= 1;
  return text.slice(SECONDS_END + 1, end);
}
