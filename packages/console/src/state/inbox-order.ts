/** The reviews in the order the inbox showed them, for moving from one to the next, and what was decided last. */
import { createStore, useStore } from './store.ts';

const inboxOrder = createStore<readonly string[]>([]);

export function noteInboxOrder(ids: readonly string[]): void {
  if (ids.join() !== inboxOrder.get().join()) inboxOrder.set(ids);
}

export interface InboxPlace {
  /** Starts at 1. */
  readonly number: number;
  readonly count: number;
  readonly previous: string | null;
  readonly next: string | null;
}

/** Null if the inbox did not list it. */
export function useInboxPlace(id: string): InboxPlace | null {
  const ids = useStore(inboxOrder);
  const at = ids.indexOf(id);
  if (at < 0) return null;
  return { number: at + 1, count: ids.length, previous: ids[at - 1] ?? null, next: ids[at + 1] ?? null };
}

export interface LastVerdict {
  readonly id: string;
  /** Such as "Approved: Change the IBAN of vendor V-1". */
  readonly said: string;
  /** The review that the page moved on to; null if it stayed. */
  readonly next: string | null;
}

/** Said only by the review that the page moved on to; on any other it would read like that one's state. */
export const lastVerdict = createStore<LastVerdict | null>(null);
