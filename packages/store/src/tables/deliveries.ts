/** Deliveries of webhooks: waiting, sent, and their outcome. */
import type {
  DeliveryPage,
  DeliveryResult,
  NewDelivery,
  StoredDelivery,
  WebhookCursor,
} from '../port/webhooks.ts';
import { mapping } from './mapping.ts';
import { list, part, type Read, separated, sortedBy, sql, type Write } from './operation.ts';

export const TABLES = `
CREATE TABLE writecheck.webhook_delivery (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  webhook text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  at_ms bigint NOT NULL,
  data text NOT NULL,
  state text NOT NULL,
  attempts integer NOT NULL,
  status integer,
  next_ms bigint,
  UNIQUE (webhook, id)
);
CREATE INDEX webhook_delivery_by_webhook ON writecheck.webhook_delivery (webhook, number);
CREATE INDEX webhook_delivery_due ON writecheck.webhook_delivery (webhook, next_ms, number) WHERE state = 'waiting';
`;

const DELIVERY = mapping<StoredDelivery>({
  number: 'number',
  webhook: 'webhook',
  id: 'id',
  type: 'type',
  atMs: 'at_ms',
  data: 'data',
  state: 'state',
  attempts: 'attempts',
  status: 'status',
  nextAtMs: 'next_ms',
});

const SWEEP_ROWS = 1_000;
/** How many selections one statement unites. */
const UNITED_MAX = 100;

export function* findDeliveries(webhook: string, ids: readonly string[]): Read<readonly StoredDelivery[]> {
  const rows = yield* sql<object>`SELECT * FROM writecheck.webhook_delivery
    WHERE webhook = ${webhook} AND id IN (${list(ids)})`;
  return rows.map(DELIVERY.storedOf);
}

export function* listDeliveries(webhook: string, before: number | null, limit: number): Read<DeliveryPage> {
  const older = part`number < ${before ?? Number.MAX_SAFE_INTEGER}`;
  const rows = yield* sql<object>`SELECT * FROM writecheck.webhook_delivery
    WHERE webhook = ${webhook} AND ${older} ORDER BY number DESC LIMIT ${limit + 1}`;
  const deliveries = rows.slice(0, limit).map(DELIVERY.storedOf);
  return { deliveries, next: rows.length > limit ? deliveries.at(-1)!.number : null };
}

/** Those due of each webhook, at most `limit` of each, the longest due first. */
export function* dueDeliveries(
  webhooks: readonly string[],
  nowMs: number,
  limit: number,
): Read<readonly StoredDelivery[]> {
  const due: StoredDelivery[] = [];
  for (let from = 0; from < webhooks.length; from += UNITED_MAX) {
    const each = webhooks.slice(from, from + UNITED_MAX).map(
      (webhook) => part`SELECT * FROM (SELECT * FROM writecheck.webhook_delivery
        WHERE webhook = ${webhook} AND state = 'waiting' AND next_ms <= ${nowMs}
        ORDER BY next_ms, number LIMIT ${limit}) AS d`,
    );
    const rows = yield* sql<object>`${separated(each, ' UNION ALL ')}`;
    due.push(...rows.map(DELIVERY.storedOf));
  }
  return due;
}

/** Counts the waiting deliveries of all active webhooks, for metrics. */
export function* waitingDeliveries(): Read<{ readonly count: number; readonly oldestAtMs: number | null }> {
  const [row] = yield* sql<{ readonly count: number; readonly oldestAtMs: number | null }>`
    SELECT count(*) AS count, min(d.at_ms) AS "oldestAtMs"
    FROM writecheck.webhook w JOIN writecheck.webhook_delivery d ON d.webhook = w.id
    WHERE w.state = 'active' AND d.state = 'waiting'`;
  return row!;
}

/** False if the webhook is gone. */
export function* addDelivery(webhook: string, delivery: NewDelivery, nowMs: number): Write<boolean> {
  // Held until the end, so that deleting the webhook leaves no delivery behind.
  const found = yield* sql`SELECT 1 FROM writecheck.webhook WHERE id = ${webhook} FOR KEY SHARE`;
  if (found.length !== 1) return false;
  yield* add(webhook, [delivery], nowMs);
  return true;
}

/** The delivery is waiting again, due now, with no attempt made. */
export function* redeliver(webhook: string, id: string, nowMs: number): Write<StoredDelivery | null> {
  const [row] = yield* sql<object>`UPDATE writecheck.webhook_delivery
    SET state = 'waiting', attempts = 0, next_ms = ${nowMs} WHERE webhook = ${webhook} AND id = ${id} RETURNING *`;
  return row === undefined ? null : DELIVERY.storedOf(row);
}

/**
 * Moves the cursor and adds the deliveries, all or nothing. False if this process no longer holds the webhook: then
 * another process takes these events.
 */
export function* takeEvents(
  holder: string,
  webhook: string,
  cursor: WebhookCursor,
  deliveries: readonly NewDelivery[],
  nowMs: number,
): Write<boolean> {
  // INVARIANT: only the holder moves the cursor, together with the deliveries it passed.
  const moved = yield* sql`UPDATE writecheck.webhook SET cursor = ${JSON.stringify(cursor)}
    WHERE id = ${webhook} AND holder = ${holder} RETURNING 1`;
  if (moved.length !== 1) return false;
  yield* add(webhook, deliveries, nowMs);
  return true;
}

/** Ignores results of webhooks that this process no longer holds. */
export function* settleDeliveries(holder: string, results: readonly DeliveryResult[]): Write<void> {
  // Always sorted, because every webhook stays locked until the end.
  for (const result of sortedBy(results, ({ webhook }) => webhook)) {
    const { webhook, id, state, attempts, status, nextAtMs, disables } = result;
    const held = yield* sql`SELECT 1 FROM writecheck.webhook WHERE id = ${webhook} AND holder = ${holder}
      FOR NO KEY UPDATE`;
    if (held.length !== 1) continue;
    yield* sql`UPDATE writecheck.webhook_delivery
      SET state = ${state}, attempts = ${attempts}, status = ${status}, next_ms = ${nextAtMs}
      WHERE webhook = ${webhook} AND id = ${id}`;
    if (disables === undefined) continue;
    yield* sql`UPDATE writecheck.webhook SET state = 'disabled', because = ${disables}, version = version + 1
      WHERE id = ${webhook} AND state = 'active'`;
  }
}

/**
 * Removes a batch of settled deliveries that are older than that, or beyond the newest `most` of a webhook; resolves
 * with the number removed, 0 once none is left.
 */
export function* sweepDeliveries(webhooks: readonly string[], beforeMs: number, most: number): Write<number> {
  let removed = 0;
  for (const webhook of webhooks) {
    const gone = yield* sql`DELETE FROM writecheck.webhook_delivery WHERE number IN (
      SELECT number FROM writecheck.webhook_delivery WHERE webhook = ${webhook} AND state <> 'waiting'
        AND (at_ms < ${beforeMs} OR number <= (SELECT number FROM writecheck.webhook_delivery
          WHERE webhook = ${webhook} ORDER BY number DESC LIMIT 1 OFFSET ${most}))
      ORDER BY number LIMIT ${SWEEP_ROWS}) RETURNING 1`;
    removed += gone.length;
  }
  return removed;
}

function* add(webhook: string, deliveries: readonly NewDelivery[], nowMs: number): Write<void> {
  if (deliveries.length === 0) return;
  const rows = deliveries.map(
    ({ id, type, atMs, data, state }) =>
      part`(${webhook}, ${id}, ${type}, ${atMs}, ${data}, ${state}, 0, ${state === 'waiting' ? nowMs : null})`,
  );
  yield* sql`INSERT INTO writecheck.webhook_delivery (webhook, id, type, at_ms, data, state, attempts, next_ms)
    VALUES ${separated(rows)} ON CONFLICT DO NOTHING`;
}
