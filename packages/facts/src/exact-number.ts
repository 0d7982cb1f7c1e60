/** Numbers that a double holds exactly as the database wrote them. */
import { FactsUnavailable } from './failures.ts';

const DECIMAL = /^-?(\d+)(?:\.(\d+))?(?:[eE][+-]?\d+)?$/;
/** A decimal of this many digits survives the conversion into a double and back. */
const DIGITS_MAX = 15;

/** Undefined for a number that would be rounded, and for NaN and the infinities. */
export function exactDecimal(text: string): number | undefined {
  const [matched, whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  if (matched === undefined) return undefined;
  let end = fraction.length;
  while (fraction[end - 1] === '0') end -= 1;
  const digits = (whole + fraction.slice(0, end)).replace(/^0+/, '');
  const value = Number(text);
  if (digits.length > DIGITS_MAX || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value;
}

export function exactWhole(text: string): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

export function inexact(column: string): FactsUnavailable {
  return new FactsUnavailable(`the column \`${column}\` has a value that JSON cannot hold exactly`);
}
