/** What an intent says beside the write: who the agent says it is, and the amount at stake. */

/** The agent's own name for itself, which it may have made up. */
export function agentOf(intent: { readonly [member: string]: unknown }): string | null {
  const metadata = intent.metadata as { readonly agent?: unknown } | null | undefined;
  return typeof metadata?.agent === 'string' ? metadata.agent : null;
}

const WHOLE = new Intl.NumberFormat('en');
const CENTS = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

interface Context {
  readonly amount?: unknown;
  readonly currency?: unknown;
}

function contextOf(intent: { readonly [member: string]: unknown }): Context {
  return (intent.metadata as { readonly context?: Context } | null | undefined)?.context ?? {};
}

/** The amount in `metadata.context`, with its currency if one is named. */
export function amountOf(intent: { readonly [member: string]: unknown }): string | null {
  const { amount, currency } = contextOf(intent);
  if (typeof amount !== 'number' && typeof amount !== 'string') return null;
  const shown = typeof amount === 'number' ? formatted(amount) : amount;
  return typeof currency === 'string' ? `${shown} ${currency}` : shown;
}

function formatted(amount: number): string {
  return (Number.isInteger(amount) ? WHOLE : CENTS).format(amount);
}

/** Null unless every write has a number of one currency, because any other sum would mislead. */
export function sumOf(intents: readonly { readonly [member: string]: unknown }[]): string | null {
  const contexts = intents.map(contextOf);
  const currency = contexts[0]?.currency;
  let sum = 0;
  for (const context of contexts) {
    if (typeof context.amount !== 'number' || context.currency !== currency) return null;
    sum += context.amount;
  }
  return typeof currency === 'string' ? `${formatted(sum)} ${currency}` : formatted(sum);
}
