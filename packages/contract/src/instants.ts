/** Reads RFC 3339 date-times, of which only the offset may be left out; what is no instant is null. */

export interface Instant {
  /** Epoch milliseconds; finer digits are dropped. Read as UTC where there is no offset. */
  readonly ms: number;
  readonly hasOffset: boolean;
  /** The digits of the fraction without trailing zeros, for comparisons finer than a millisecond. */
  readonly fraction: string;
}

const DATE_TIME =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?$/;
const FRACTION_AT = 19;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MS_PER_MINUTE = 60_000;
const MINUTES_PER_DAY = 1440;

export function parseInstant(text: string): Instant | null {
  if (!DATE_TIME.test(text)) return null;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 60) return null;
  const fractionEnd = endOfFraction(text);
  const offsetMinutes = readOffsetMinutes(text, fractionEnd);
  if (offsetMinutes === null) return null;
  const utcMinutes = daysSinceEpoch(year, month, day) * MINUTES_PER_DAY + hour * 60 + minute - offsetMinutes;
  // A leap second is inserted after 23:59:59 UTC and nowhere else.
  if (second === 60 && (utcMinutes + 1) % MINUTES_PER_DAY !== 0) return null;
  const fraction = withoutTrailingZeros(text.slice(FRACTION_AT + 1, fractionEnd));
  const ms = utcMinutes * MS_PER_MINUTE + second * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  return { ms, hasOffset: fractionEnd < text.length, fraction };
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - 0x30;
}

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

function endOfFraction(text: string): number {
  let at = FRACTION_AT;
  if (text[at] === '.') at += 1;
  while (digit(text, at) >= 0 && digit(text, at) <= 9) at += 1;
  return at;
}

function readOffsetMinutes(text: string, at: number): number | null {
  const sign = text[at];
  if (sign !== '+' && sign !== '-') return 0;
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, at + 4);
  if (hours > 23 || minutes > 59) return null;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes);
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
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
