/** Amounts as people type them: `>10000`, `<=500 EUR`, `1k..5k`. */
import { inWords } from '../decision/said-in-intent.ts';

type AmountRange = NonNullable<ReturnType<typeof amountRangeOf>>;

const COMPARED = /^(>=|<=|>|<|=|)\s*(-?\d[\d,]*(?:\.\d+)?)([km]?)\s*([a-z]{3})?$/i;
const BETWEEN = /^(-?\d[\d,]*(?:\.\d+)?)([km]?)\s*\.\.\s*(-?\d[\d,]*(?:\.\d+)?)([km]?)\s*([a-z]{3})?$/i;
const TIMES: { readonly [letter: string]: number } = { k: 1_000, m: 1_000_000 };

/** Null unless the text is an amount. `isStrict`: the bounds themselves are left out; without a currency any is meant. */
export function amountRangeOf(text: string) {
  const between = BETWEEN.exec(text.trim());
  if (between !== null) {
    const [, from = '', fromTimes = '', to = '', toTimes = '', currency] = between;
    const range = { least: numberOf(from, fromTimes), most: numberOf(to, toTimes) };
    return range.least > range.most ? null : { ...range, isStrict: false, currency: codeOf(currency) };
  }
  const compared = COMPARED.exec(text.trim());
  if (compared === null) return null;
  const [, sign = '', number = '', times = '', currency] = compared;
  const amount = numberOf(number, times);
  return {
    least: sign.startsWith('<') ? Number.NEGATIVE_INFINITY : amount,
    most: sign.startsWith('>') ? Number.POSITIVE_INFINITY : amount,
    isStrict: sign === '<' || sign === '>',
    currency: codeOf(currency),
  };
}

function numberOf(digits: string, times: string): number {
  return Number(digits.replaceAll(',', '')) * (TIMES[times.toLowerCase()] ?? 1);
}

function codeOf(currency: string | undefined): string | null {
  return currency?.toUpperCase() ?? null;
}

/** `said` is an amount with its currency, if it has one, such as `148250 EUR`. */
export function isWithin({ least, most, isStrict, currency }: AmountRange, said: string): boolean {
  const [digits = '', code] = said.split(' ');
  const amount = Number(digits);
  if (currency !== null && code?.toUpperCase() !== currency) return false;
  return isStrict ? amount > least && amount < most : amount >= least && amount <= most;
}

/** Such as "over 10,000.00 EUR". */
export function rangeInWords({ least, most, isStrict, currency }: AmountRange): string {
  const words = (amount: number) => inWords({ amount, currency });
  if (least === most) return words(least);
  if (most === Number.POSITIVE_INFINITY) return `${isStrict ? 'over' : 'from'} ${words(least)}`;
  if (least === Number.NEGATIVE_INFINITY) return `${isStrict ? 'under' : 'up to'} ${words(most)}`;
  return `${words(least)} to ${words(most)}`;
}
