/** Exact decimals of limits, as whole numbers of millionths: no amount is ever rounded. */

const DIGITS_MAX = 15;
const FRACTION_DIGITS_MAX = 6;
const MILLIONTHS = 1_000_000n;
/** Longer text is leading or trailing zeros, or has too many digits. */
const DECIMAL = /^([0-9]+)(?:\.([0-9]+))?$/;

/**
 * Parses text of the form `digits[.digits]`; null if it has another form, or too many digits after dropping
 * zeros at its ends.
 */
export function amountOfText(text: string): bigint | null {
  const found = DECIMAL.exec(text);
  if (found === null) return null;
  const whole = withoutLeadingZeros(found[1]!);
  const fraction = withoutTrailingZeros(found[2] ?? '');
  if (fraction.length > FRACTION_DIGITS_MAX || whole.length + fraction.length > DIGITS_MAX) return null;
  return BigInt(whole + fraction.padEnd(FRACTION_DIGITS_MAX, '0'));
}

/** Null if it is negative, or has more digits than an amount may have. */
export function amountOfNumber(value: number): bigint | null {
  return amountOfText(String(value));
}

/** Decimal text without an exponent or trailing zeros. */
export function amountText(millionths: bigint): string {
  const whole = millionths / MILLIONTHS;
  const rest = millionths - whole * MILLIONTHS;
  if (rest === 0n) return String(whole);
  return `${whole}.${withoutTrailingZeros(String(rest).padStart(FRACTION_DIGITS_MAX, '0'))}`;
}

/** Parses text that `amountText` wrote: a sum may have more digits than one amount. */
export function amountOfSum(text: string): bigint {
  const point = text.indexOf('.');
  if (point === -1) return BigInt(text) * MILLIONTHS;
  return BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(FRACTION_DIGITS_MAX, '0'));
}

/** Keeps the last digit. */
export function withoutLeadingZeros(digits: string): string {
  let from = 0;
  while (from < digits.length - 1 && digits[from] === '0') from += 1;
  return digits.slice(from);
}

/** A loop, because a regular expression for zeros at the end takes quadratic time. */
export function withoutTrailingZeros(digits: string): string {
  let to = digits.length;
  while (to > 0 && digits[to - 1] === '0') to -= 1;
  return digits.slice(0, to);
}
