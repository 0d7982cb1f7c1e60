/** The names of keys, for pages that have only their IDs. */
import { useMemo } from 'preact/hooks';
import { useLoad } from '../../use-load.ts';
import { type Key, listKeys } from '../workspace-parts/keys-api.ts';

export function useKeys(): ReadonlyMap<string, Key> {
  const { value } = useLoad('keys', listKeys);
  return useMemo(() => new Map((value?.keys ?? []).map((key) => [key.id, key])), [value]);
}

/** The agent's own name for itself, which it may have made up. */
export function agentOf(intent: { readonly [member: string]: unknown }): string | null {
  const metadata = intent.metadata as { readonly agent?: unknown } | null | undefined;
  return typeof metadata?.agent === 'string' ? metadata.agent : null;
}

const WHOLE = new Intl.NumberFormat('en');
const CENTS = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** The amount in `metadata.context`, with its currency if one is named. */
export function amountOf(intent: { readonly [member: string]: unknown }): string | null {
  const metadata = intent.metadata as
    | { readonly context?: { readonly [name: string]: unknown } }
    | null
    | undefined;
  const { amount, currency } = metadata?.context ?? {};
  if (typeof amount !== 'number' && typeof amount !== 'string') return null;
  const shown =
    typeof amount === 'number' ? (Number.isInteger(amount) ? WHOLE : CENTS).format(amount) : amount;
  return typeof currency === 'string' ? `${shown} ${currency}` : shown;
}
