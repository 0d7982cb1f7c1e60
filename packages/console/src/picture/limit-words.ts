/** A limit in words: how much is drawn, in which window and for whom, and how much a write takes. */

import { amountOfSum, amountText, durationMs, type LimitState } from '@writecheck/contract';
import type { LimitDocument } from '@writecheck/engine';
import { decimalsOf } from '../components/decision/said-in-intent.ts';
import { inWords } from './durations.ts';

/** What a limit counts by, with its value for one write or counter. */
export interface GroupPart {
  /** The last name of the path, such as `customer`; null for a key, which needs no introduction. */
  readonly name: string | null;
  readonly text: string;
}

export type LimitGroupWords = ReturnType<typeof groupWords>;

/** `texts` in the order of `by`; null for a value that is not known here. */
export function groupWords(
  { by = [], sum }: Pick<LimitDocument, 'by' | 'sum'>,
  texts: readonly (string | null)[],
) {
  const parts = by.flatMap((path, at) => {
    const text = texts[at];
    return text == null ? [] : [{ name: path === 'key' ? null : path.split('.').at(-1)!, text }];
  });
  if (sum === undefined) return { unit: 'writes', parts };
  // A sum may have no currency.
  const currency = parts.find(({ name, text }) => isCurrency(name, text));
  return { unit: currency?.text ?? null, parts: parts.filter((part) => part !== currency) };
}

function isCurrency(name: string | null, text: string): boolean {
  return name !== null && /currency$/i.test(name) && /^[A-Z]{3}$/.test(text);
}

/** Every digit of the decimal text; money has at least the decimals of its currency. */
export function amountWords(text: string, unit: string | null): string {
  const [whole = '0', fraction = ''] = text.split('.');
  const least = unit === null || unit === 'writes' ? 0 : decimalsOf(unit);
  const decimals = fraction.padEnd(least, '0');
  const grouped = BigInt(whole).toLocaleString('en');
  return decimals === '' ? grouped : `${grouped}.${decimals}`;
}

export function withUnit(text: string, unit: string | null): string {
  if (unit === 'writes') return `${amountWords(text, unit)} ${text === '1' ? 'write' : 'writes'}`;
  return unit === null ? amountWords(text, null) : `${amountWords(text, unit)} ${unit}`;
}

const CALENDAR: { readonly [per: string]: { readonly now: string; readonly each: string } } = {
  hour: { now: 'this hour', each: 'an hour' },
  day: { now: 'today (UTC)', each: 'a day' },
  week: { now: 'this week', each: 'a week' },
  month: { now: 'this month', each: 'a month' },
};

/** Such as "today (UTC)" or "in the last 2 h". */
export function windowWords(per: string): string {
  return CALENDAR[per]?.now ?? `in the last ${rolling(per)}`;
}

/** Such as "a day" or "in any 2 h". */
export function rateWords(per: string): string {
  return CALENDAR[per]?.each ?? `in any ${rolling(per)}`;
}

const ONE: { readonly [per: string]: string } = {
  '1m': 'minute',
  '60m': 'hour',
  '1h': 'hour',
  '24h': '24 hours',
};

function rolling(per: string): string {
  return ONE[per] ?? inWords(durationMs(per));
}

/** How far a write goes past the limit; null if it stays within or cannot be read. */
export function overBy({ max, drawn, draw, beyond }: LimitState): string | null {
  if (!beyond || drawn === null || draw === null) return null;
  const over = amountOfSum(drawn) + amountOfSum(draw) - amountOfSum(max);
  return over > 0n ? amountText(over) : null;
}

/** Such as "6th". */
export function ordinal(count: string): string {
  const ending = /1[123]$/.test(count) ? 'th' : (ENDINGS[count.at(-1)!] ?? 'th');
  return `${amountWords(count, null)}${ending}`;
}

const ENDINGS: { readonly [digit: string]: string } = { '1': 'st', '2': 'nd', '3': 'rd' };

/** The place that a counted write takes, such as 6 after 5. */
export function placeOf(drawn: string): string {
  return amountText(amountOfSum(drawn) + amountOfSum('1'));
}

/** From 0 to 1, for a bar. */
export function shareOf(amount: string, max: string): number {
  const most = Number(max);
  if (most === 0) return amount === '0' ? 0 : 1;
  return Math.min(1, Number(amount) / most);
}
