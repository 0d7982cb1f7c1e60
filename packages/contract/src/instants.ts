/** Reads RFC 3339 date-times, of which only the offset may be left out; what is no instant is null. */

export interface Instant {
  /** Epoch milliseconds; finer digits are dropped. Read as UTC where there is no offset. */
  readonly ms: number;
  readonly hasOffset: boolean;
  /** The digits of the fraction without trailing zeros, for comparisons finer than a millisecond. */
  readonly fraction: string;
}

const DATE_TIME =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:([Zz])|([+-])([0-9]{2}):([0-9]{2}))?$/;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MS_PER_MINUTE = 60_000;
const MINUTES_PER_DAY = 1440;

export function parseInstant(text: string): Instant | null {
  const parts = DATE_TIME.exec(text);
  if (parts === null) return null;
  const year = Number(parts[1]);
  const month = Number(parts[2]);
  const day = Number(parts[3]);
  const hour = Number(parts[4]);
  const minute = Number(parts[5]);
  const second = Number(parts[6]);
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 60) return null;
  const offsetHours = Number(parts[10] ?? 0);
  const offsetMinutes = Number(parts[11] ?? 0);
  if (offsetHours > 23 || offsetMinutes > 59) return null;
  const offset = (parts[9] === '-' ? -1 : 1) * (offsetHours * 60 + offsetMinutes);
  const utcMinutes = daysSinceEpoch(year, month, day) * MINUTES_PER_DAY + hour * 60 + minute - offset;
  // A leap second is inserted after 23:59:59 UTC and nowhere else.
  const isLastMinuteOfDay = (utcMinutes + 1) % MINUTES_PER_DAY === 0;
  if (second === 60 && !isLastMinuteOfDay) return null;
  const fraction = withoutTrailingZeros(parts[7] ?? '');
  const ms = utcMinutes * MS_PER_MINUTE + second * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
  return { ms, hasOffset: parts[8] !== undefined || parts[9] !== undefined, fraction };
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
