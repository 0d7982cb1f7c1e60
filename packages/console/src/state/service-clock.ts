/** The service's clock, read from its responses; decisions carry its time, not this computer's. */
import { MINUTE_MS } from '@writecheck/contract';
import { createStore, useStore } from './store.ts';

/** The `Date` header has whole seconds, and the response takes time to arrive. */
const UNSURE_MS = 2_000;
/** From this difference on, the page shows a note. */
const DIFFERS_FROM_MS = MINUTE_MS;

/** How far the service's clock is ahead of this one; null before the first response. */
const aheadMs = createStore<number | null>(null);

export function noteServiceTime(headers: Headers): void {
  const serviceMs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(serviceMs)) return;
  const found = serviceMs - Date.now();
  const known = aheadMs.get();
  if (known === null || Math.abs(found - known) > UNSURE_MS) aheadMs.set(found);
}

/** Falls back to this computer's clock. */
export async function serviceNowMs(ask: () => Promise<unknown>): Promise<number> {
  if (aheadMs.get() === null) await ask();
  return Date.now() + (aheadMs.get() ?? 0);
}

/** Zero if the two clocks agree closely enough. */
export function useServiceAheadMs(): number {
  const ahead = useStore(aheadMs) ?? 0;
  return Math.abs(ahead) < DIFFERS_FROM_MS ? 0 : ahead;
}
