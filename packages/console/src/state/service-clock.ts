/** The service's clock, as its answers tell it: decisions are dated by it, whatever this computer's clock says. */
import { createStore, useStore } from './store.ts';

/** Its answers tell whole seconds, and take a while to come. */
const UNSURE_MS = 2_000;
/** From here on a reader is told. */
const DIFFERS_FROM_MS = 60_000;

/** By how much the service's clock is ahead of this one; null before the first answer. */
const aheadMs = createStore<number | null>(null);

export function noteServiceTime(headers: Headers): void {
  const serviceMs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(serviceMs)) return;
  const found = serviceMs - Date.now();
  const known = aheadMs.get();
  if (known === null || Math.abs(found - known) > UNSURE_MS) aheadMs.set(found);
}

/** Where it was never told, this computer's. */
export async function serviceNowMs(ask: () => Promise<void>): Promise<number> {
  if (aheadMs.get() === null) await ask();
  return Date.now() + (aheadMs.get() ?? 0);
}

/** Zero where the two clocks agree as far as anybody can tell. */
export function useServiceAheadMs(): number {
  const ahead = useStore(aheadMs) ?? 0;
  return Math.abs(ahead) < DIFFERS_FROM_MS ? 0 : ahead;
}
