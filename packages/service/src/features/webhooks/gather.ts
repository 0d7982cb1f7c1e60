/** Reads the log for webhooks: each has a cursor, and takes the events behind it while it has room for them. */
import { hash } from 'node:crypto';
import type { Store } from '@writecheck/store/port';
import type { HeldWebhook, NotableEntries } from '@writecheck/store/port/webhooks';
import { eventOf, eventsOf, type Links } from './events.ts';
import { DROP_AFTER_MS } from './schedule.ts';

/** How many deliveries of a webhook may be waiting. */
const UNDER_WAY_MAX = 100;
/** A cursor that passed no event is stored only now and then: reading a few entries again is cheap. */
const STORE_AFTER_ENTRIES = 10_000;

export interface GatherParts {
  readonly store: Pick<Store, 'findReviews' | 'notableEntries' | 'takeEvents' | 'logs'>;
  readonly links: Links;
  readonly holder: string;
  readonly dropped: (count: number) => void;
}

/** The next index of each log. */
export type Cursor = { [log: string]: number };

export interface Reading {
  readonly webhook: HeldWebhook;
  /** May be further than the stored cursor. */
  readonly cursor: Cursor;
  room: number;
  /** Entries read since the cursor was stored. */
  unstored: number;
}

/** `known` is how far this process has read for the webhook without finding an event. */
export function readingOf(webhook: HeldWebhook, known: Readonly<Cursor>): Reading {
  const cursor = { ...webhook.cursor };
  let unstored = 0;
  for (const [log, index] of Object.entries(known)) {
    const stored = cursor[log] ?? 0;
    cursor[log] = Math.max(stored, index);
    unstored += cursor[log] - stored;
  }
  return { webhook, cursor, room: UNDER_WAY_MAX - webhook.waiting, unstored };
}

/** Takes one step of each log for every webhook; true if there is more to read. */
export async function gather(
  parts: GatherParts,
  readings: readonly Reading[],
  nowMs: number,
): Promise<boolean> {
  const logs = await parts.store.logs();
  const behind = ({ log, size }: { readonly log: string; readonly size: number }) =>
    readings.filter(({ room, cursor }) => room > 0 && placeIn(cursor, log) < size);
  for (const head of logs) {
    const { log } = head;
    const waiting = behind(head).sort((a, b) => placeIn(a.cursor, log) - placeIn(b.cursor, log));
    const workspaces = [...new Set(waiting.map(({ webhook }) => webhook.workspace))];
    let step: NotableEntries | null = null;
    for (const reading of waiting) {
      const from = placeIn(reading.cursor, log);
      // One read serves every webhook whose cursor is within it, and one that is far behind delays no other.
      if (step === null || step.next <= from) step = await parts.store.notableEntries(log, from, workspaces);
      await take(parts, reading, log, step, nowMs);
    }
  }
  return logs.some((head) => behind(head).length > 0);
}

function placeIn(cursor: Readonly<Cursor>, log: string): number {
  return cursor[log] ?? 0;
}

async function take(
  parts: GatherParts,
  reading: Reading,
  log: string,
  { entries, next }: NotableEntries,
  nowMs: number,
): Promise<void> {
  const { webhook, cursor, room } = reading;
  const { id, workspace, events } = webhook;
  const from = placeIn(cursor, log);
  const wanted = entries.filter(({ index, entry, ...of }) => {
    if (index < from || of.workspace !== workspace) return false;
    const type = eventOf(entry);
    return type !== null && events.includes(type);
  });
  // The cursor stops before the first event that has no room.
  const stop = wanted[room]?.index ?? next;
  const taken = await eventsOf(parts, workspace, wanted.slice(0, room));
  const unstored = reading.unstored + stop - from;
  if (taken.length === 0 && unstored < STORE_AFTER_ENTRIES) {
    cursor[log] = stop;
    reading.unstored = unstored;
    return;
  }
  const deliveries = taken.map(({ index, type, atMs, data }) => ({
    // INVARIANT: an event that is taken twice gives one delivery.
    id: `msg_${hash('sha256', `${id} ${log} ${index}`).slice(0, 32)}`,
    type,
    atMs,
    data: JSON.stringify(data),
    state: nowMs - atMs > DROP_AFTER_MS ? ('dropped' as const) : ('waiting' as const),
  }));
  const isMine = await parts.store.takeEvents(
    parts.holder,
    id,
    { ...cursor, [log]: stop },
    deliveries,
    nowMs,
  );
  if (!isMine) {
    // Another process holds the webhook by now, and takes these events.
    reading.room = 0;
    return;
  }
  cursor[log] = stop;
  reading.unstored = 0;
  const dropped = deliveries.filter(({ state }) => state === 'dropped').length;
  reading.room -= deliveries.length - dropped;
  if (dropped > 0) parts.dropped(dropped);
}
