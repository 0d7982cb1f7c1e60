/** What an intent says beside the write: the money at stake, who asked, and why. */

import type { EvidenceItem, WriteIntent } from '@writecheck/contract';

export type SaidIntent = { readonly [member: string]: unknown };

/** Without the members that are null, which count as absent. */
export function sentMembers(members: object): WriteIntent {
  const sent = Object.entries(members).filter(([, value]) => value !== null);
  return Object.fromEntries(sent) as unknown as WriteIntent;
}

export function evidenceIn({ controlEvidence }: SaidIntent): readonly EvidenceItem[] {
  return Array.isArray(controlEvidence) ? controlEvidence : [];
}

export interface Money {
  readonly amount: number;
  readonly currency: string | null;
}

/** What callers say beside the write. */
export function contextOf(intent: SaidIntent): SaidIntent {
  const metadata = intent.metadata as { readonly context?: unknown } | null | undefined;
  const context = metadata?.context;
  return typeof context === 'object' && context !== null ? (context as SaidIntent) : {};
}

/** Null unless `metadata.context.amount` is a number. */
export function moneyOf(intent: SaidIntent): Money | null {
  const { amount, currency } = contextOf(intent);
  if (typeof amount !== 'number') return null;
  return { amount, currency: typeof currency === 'string' ? currency : null };
}

/** The amount in `metadata.context`, with its currency if one is named. */
export function amountOf(intent: SaidIntent): string | null {
  const money = moneyOf(intent);
  if (money !== null) return inWords(money);
  const { amount, currency } = contextOf(intent);
  if (typeof amount !== 'string') return null;
  return typeof currency === 'string' ? `${amount} ${currency}` : amount;
}

const MANY_DIGITS = 20;

/** Every digit that was sent: an amount is never rounded. */
export function inWords({ amount, currency }: Money): string {
  if (Math.abs(amount) >= 1e21) return `${amount} ${currency ?? ''}`.trim();
  const least = currency === null && Number.isInteger(amount) ? 0 : centsOf(currency);
  const shown = withDecimals(least).format(amount);
  return currency === null ? shown : `${shown} ${currency}`;
}

// A new formatter takes longer than all else that a row of the inbox needs.
const withDecimals = remembered(
  (least: number) =>
    new Intl.NumberFormat('en', { minimumFractionDigits: least, maximumFractionDigits: MANY_DIGITS }),
);
/** Such as none for the yen. */
export const decimalsOf = remembered(
  (currency: string) =>
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().minimumFractionDigits ?? 2,
);

/** How many decimals to show at least. */
function centsOf(currency: string | null): number {
  return currency === null || !/^[A-Z]{3}$/.test(currency) ? 2 : decimalsOf(currency);
}

function remembered<From, To>(make: (from: From) => To): (from: From) => To {
  const known = new Map<From, To>();
  return (from) => {
    if (!known.has(from)) known.set(from, make(from));
    return known.get(from)!;
  };
}

/** One sum for each currency, largest first; what has no amount is counted apart. */
export function sumsOf(intents: readonly SaidIntent[]): {
  readonly sums: readonly string[];
  readonly without: number;
} {
  const monies = intents.map(moneyOf);
  return { sums: sumsInWords(monies), without: monies.filter((money) => money === null).length };
}

export function sumsInWords(monies: readonly (Money | null)[]): readonly string[] {
  const sums = new Map<string | null, number>();
  for (const money of monies)
    if (money !== null) sums.set(money.currency, (sums.get(money.currency) ?? 0) + money.amount);
  const largest = [...sums].sort(([, a], [, b]) => b - a);
  // Adding cents in binary leaves a tail that nobody sent.
  return largest.map(([currency, amount]) => inWords({ amount: Number(amount.toFixed(6)), currency }));
}

/** What the caller notes about the write. */
export function noteIn(intent: SaidIntent): string | null {
  const { note, reason } = contextOf(intent);
  return [note, reason].find((each) => typeof each === 'string') ?? null;
}

/** Whom the caller names as having asked; its word, like all of this. */
export function requesterOf(intent: SaidIntent): string | null {
  const { requestedBy, requester } = contextOf(intent);
  const named = requestedBy ?? requester;
  return typeof named === 'string' ? named : null;
}
