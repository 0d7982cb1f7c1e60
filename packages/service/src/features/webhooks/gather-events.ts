/** Collects the events since each webhook's cursor, and reads the log once for webhooks whose cursors are close. */
import { hash } from 'node:crypto';
import type { Store } from '@writecheck/store/port';
import type {
  HeldWebhook,
  NewDelivery,
  NotableEntries,
  WebhookCursor,
} from '@writecheck/store/port/webhooks';
import { type EntrySources, eventsOf, eventsOfEntries } from './entry-events.ts';
import type { WebhookEvent } from './event-types.ts';
import { DROP_AFTER_MS } from './schedule.ts';
import { type TableSources, tableEvents } from './table-events.ts';

/** How many deliveries of a webhook may be waiting. */
const UNDER_WAY_MAX = 100;
/** A cursor that passed no event is stored only now and then: reading a few entries again is cheap. */
const STORE_AFTER_ENTRIES = 10_000;
const STORE_AFTER_MS = 60_000;

export interface GatherParts {
  readonly store: EntrySources['store'] &
    TableSources['store'] &
    Pick<Store, 'notableEntries' | 'takeEvents' | 'findDeliveries' | 'logs'>;
  readonly links: EntrySources['links'];
  readonly holder: string;
  readonly dropped: (count: number) => void;
}

/** Knows more about a webhook than is stored: how far this process has read without finding an event. */
export class WebhookProgress {
  logs: { [log: string]: number };
  room: number;
  /** Another process holds the webhook by now, and takes these events. */
  isLost = false;
  readonly webhook: HeldWebhook;
  #cursor: WebhookCursor;

  constructor(webhook: HeldWebhook, known: { readonly [log: string]: number }) {
    this.webhook = webhook;
    this.#cursor = webhook.cursor;
    this.room = UNDER_WAY_MAX - webhook.waiting;
    this.logs = { ...webhook.cursor.logs };
    for (const [log, index] of Object.entries(known)) this.logs[log] = Math.max(this.logs[log] ?? 0, index);
  }

  get cursor(): WebhookCursor {
    return this.#cursor;
  }

  at(log: string): number {
    return this.logs[log] ?? 0;
  }

  /** Entries read since the cursor was stored. */
  get unstored(): number {
    let entries = 0;
    for (const [log, index] of Object.entries(this.logs)) entries += index - (this.#cursor.logs[log] ?? 0);
    return entries;
  }

  async take(
    { store, holder, dropped }: GatherParts,
    events: readonly WebhookEvent[],
    tables: Partial<WebhookCursor>,
    nowMs: number,
  ): Promise<void> {
    const cursor = { ...this.#cursor, ...tables, logs: this.logs };
    const deliveries = events.map((event) => deliveryOf(this.webhook.id, event, nowMs));
    const isMine = await store.takeEvents(holder, this.webhook.id, cursor, deliveries, nowMs);
    if (!isMine) {
      this.isLost = true;
      this.room = 0;
      return;
    }
    this.#cursor = cursor;
    const waiting = deliveries.filter(({ state }) => state === 'waiting').length;
    this.room -= waiting;
    if (waiting < deliveries.length) dropped(deliveries.length - waiting);
  }

  wants({ type }: Pick<WebhookEvent, 'type'>): boolean {
    return this.webhook.events.includes(type);
  }
}

function deliveryOf(webhook: string, { key, type, atMs, data }: WebhookEvent, nowMs: number): NewDelivery {
  return {
    id: `msg_${hash('sha256', `${webhook} ${key}`).slice(0, 32)}`,
    type,
    atMs,
    data: JSON.stringify(data),
    state: nowMs - atMs > DROP_AFTER_MS ? 'dropped' : 'waiting',
  };
}

/** Takes one step of each log for every webhook; true if there is more to read. */
export async function gatherFromLogs(
  parts: GatherParts,
  readings: readonly WebhookProgress[],
  nowMs: number,
): Promise<boolean> {
  const logs = await parts.store.logs();
  const isBehind = (reading: WebhookProgress, log: string, size: number): boolean =>
    reading.room > 0 && reading.at(log) < size;
  for (const { log, size } of logs) {
    let behind = readings.filter((reading) => isBehind(reading, log, size));
    // One read serves every webhook whose cursor is within it; a webhook that is far behind delays no other.
    while (behind.length > 0) {
      const from = Math.min(...behind.map((reading) => reading.at(log)));
      const workspaces = [...new Set(behind.map(({ webhook }) => webhook.workspace))];
      const step = await parts.store.notableEntries(log, from, workspaces);
      const reached = behind.filter((reading) => reading.at(log) < step.next);
      for (const reading of reached) await takeStep(parts, reading, log, step, nowMs);
      behind = behind.filter((reading) => reading.at(log) >= step.next && !reached.includes(reading));
      if (reached.length === 0) break;
    }
  }
  return readings.some((reading) => logs.some(({ log, size }) => isBehind(reading, log, size)));
}

async function takeStep(
  parts: GatherParts,
  reading: WebhookProgress,
  log: string,
  { entries, next }: NotableEntries,
  nowMs: number,
): Promise<void> {
  const { workspace } = reading.webhook;
  const from = reading.at(log);
  const mine = entries.filter(
    ({ index, entry, ...of }) =>
      index >= from && of.workspace === workspace && eventsOf(entry).some((event) => reading.wants(event)),
  );
  // The cursor stops before the first entry that does not fit: all events of an entry must fit together.
  const stop = mine[reading.room]?.index ?? next;
  const fitting = mine.filter(({ index }) => index < stop);
  const events = await eventsOfEntries(parts, workspace, log, fitting);
  const taken = events.filter((event) => reading.wants(event));
  reading.logs[log] = stop;
  if (taken.length > 0 || reading.unstored >= STORE_AFTER_ENTRIES)
    await reading.take(parts, taken, {}, nowMs);
  // The webhook waits for room; asking again now would find no more.
  else if (stop < next) reading.room = 0;
}

/** Collects the events that have no log entry. */
export async function gatherFromTables(
  parts: GatherParts,
  reading: WebhookProgress,
  nowMs: number,
): Promise<void> {
  if (reading.room <= 0) return;
  const { webhook, cursor } = reading;
  const found = await tableEvents(parts, { ...webhook, cursor }, nowMs);
  const wanted = found.events.filter((event) => reading.wants(event));
  const ids = wanted.map((event) => deliveryOf(webhook.id, event, nowMs).id);
  const known = new Set(
    ids.length === 0 ? [] : (await parts.store.findDeliveries(webhook.id, ids)).map(({ id }) => id),
  );
  const fresh = wanted.filter((_, i) => !known.has(ids[i]!));
  const isMoved =
    found.cursor.quota.percent !== cursor.quota.percent ||
    found.cursor.timeMs - cursor.timeMs >= STORE_AFTER_MS;
  if (fresh.length === 0 && !isMoved) return;
  // The cursor stays, so that events that do not fit are found again.
  const fits = fresh.length <= reading.room;
  await reading.take(parts, fresh.slice(0, reading.room), fits ? found.cursor : {}, nowMs);
}
