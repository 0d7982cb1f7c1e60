/** The reviews in the order the inbox showed them, for moving from one to the next, and what was decided last. */
import { createStore, useStore } from './store.ts';

export const inboxOrder = createStore<readonly string[]>([]);
/** Those that need the user no more, which the inbox may list until it is read again. */
const decided = createStore<ReadonlySet<string>>(new Set());

export function noteInboxOrder(ids: readonly string[]): void {
  if (ids.join() !== inboxOrder.get().join()) inboxOrder.set(ids);
}

const WALK = /^\/(reviews(\/.*)?|decisions\/[^/]+)$/;

/** Any page but a review or its decision ends the walk: reviews open meanwhile, so a later link finds its place anew. */
export function endWalkAt(path: string): void {
  if (!WALK.test(path)) noteInboxOrder([]);
}

export function noteInQueue(id: string, is: 'over' | 'waiting'): void {
  const before = decided.get();
  if (before.has(id) === (is === 'over')) return;
  const after = new Set(before);
  if (!after.delete(id)) after.add(id);
  decided.set(after);
}

export type InboxPlace = NonNullable<ReturnType<typeof placeIn>>;

/** Null if the inbox did not list it. */
export function useInboxPlace(id: string) {
  const [ids, over] = [useStore(inboxOrder), useStore(decided)];
  return placeIn(ids, over, [id]);
}

/** The one that waits after several that were decided together. */
export function useNextAfter(ids: readonly string[]): string | null {
  const [listed, over] = [useStore(inboxOrder), useStore(decided)];
  return placeIn(listed, over, ids)?.next ?? null;
}

/** The place of the last of `shown` in a list; those that are over neither count nor come next. */
export function placeIn(listed: readonly string[], over: ReadonlySet<string>, shown: readonly string[]) {
  const at = listed.findLastIndex((id) => shown.includes(id));
  if (at < 0) return null;
  const waits = (id: string) => !over.has(id);
  const isOther = (id: string) => waits(id) && !shown.includes(id);
  return {
    /** Its number among those that wait, from 1; null for one that is decided. */
    number: waits(listed[at]!) ? listed.slice(0, at + 1).filter(waits).length : null,
    /** How many wait. */
    count: listed.filter(waits).length,
    previous: listed.slice(0, at).findLast(isOther) ?? null,
    next: listed.slice(at + 1).find(isOther) ?? null,
  };
}

/** Such as "3 of 7", or for one that is decided "6 left"; null if none is. */
export function placeInQueue({ number, count }: InboxPlace): string | null {
  if (number !== null) return `${number} of ${count}`;
  return count === 0 ? null : `${count} left`;
}

export interface LastVerdict {
  readonly id: string;
  /** Such as "Approved: Change the IBAN of vendor V-1". */
  readonly said: string;
  /** The review that the page moved on to; null if it stayed. */
  readonly next: string | null;
}

/** Shown only on the next review; on any other it would look like that review's own state. */
export const lastVerdict = createStore<LastVerdict | null>(null);
