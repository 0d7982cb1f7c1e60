/** Lookups of webhooks and their deliveries in PostgreSQL, and of what webhooks report beside the log. */
import { type Archive, withArchive } from '../archive/archive.ts';
import { NOTABLE_STEP, notableIn } from '../notable-entries.ts';
import type {
  ChangedKey,
  ExpiringReview,
  NewRevision,
  NotableEntries,
  NotableEntry,
  Webhooks,
} from '../port/webhooks.ts';
import { type StoredSegment, useSegment } from '../segment.ts';
import {
  type DeliveryRow,
  type HeldRow,
  heldWebhook,
  storedDelivery,
  storedWebhook,
  type WebhookRow,
} from '../webhook-rows.ts';
import type { Query } from './connection.ts';
import { LEAVES_PER_LOG } from './schema.ts';

type Reads = Pick<
  Webhooks,
  | 'findWebhook'
  | 'listWebhooks'
  | 'hasActiveWebhook'
  | 'heldWebhooks'
  | 'findDeliveries'
  | 'listDeliveries'
  | 'dueDeliveries'
  | 'waitingDeliveries'
  | 'expiringReviews'
  | 'changedKeys'
  | 'revisionsAfter'
>;

/** When three quarters of a review's time have passed. */
const EXPIRING = 'opened_ms + (expires_ms - opened_ms) * 3 / 4';

export function prepareWebhookReads(query: Query): Reads {
  return {
    async findWebhook(workspace, id) {
      const [row] = await query<WebhookRow>(
        'SELECT * FROM writecheck.webhook WHERE workspace = $1 AND id = $2',
        [workspace, id],
      );
      return row === undefined ? null : storedWebhook(row);
    },
    listWebhooks: async (workspace) =>
      (
        await query<WebhookRow>('SELECT * FROM writecheck.webhook WHERE workspace = $1 ORDER BY number', [
          workspace,
        ])
      ).map(storedWebhook),
    hasActiveWebhook: async (signer) =>
      (
        await query("SELECT 1 FROM writecheck.webhook WHERE state = 'active' AND signer = $1 LIMIT 1", [
          signer,
        ])
      ).length > 0,
    heldWebhooks: async (holder, nowMs) =>
      (
        await query<HeldRow>(
          `SELECT w.*, (SELECT count(*) FROM writecheck.webhook_delivery d
             WHERE d.webhook = w.id AND d.state = 'waiting') AS waiting
           FROM writecheck.webhook w WHERE state = 'active' AND holder = $1 AND leased_until_ms > $2 ORDER BY number`,
          [holder, nowMs],
        )
      ).map(heldWebhook),
    findDeliveries: async (webhook, ids) =>
      (
        await query<DeliveryRow>(
          'SELECT * FROM writecheck.webhook_delivery WHERE webhook = $1 AND id = ANY ($2)',
          [webhook, ids],
        )
      ).map(storedDelivery),
    async listDeliveries(webhook, before, limit) {
      const rows = await query<DeliveryRow>(
        `SELECT * FROM writecheck.webhook_delivery WHERE webhook = $1 AND ($2::bigint IS NULL OR number < $2)
         ORDER BY number DESC LIMIT $3`,
        [webhook, before, limit + 1],
      );
      const deliveries = rows.slice(0, limit).map(storedDelivery);
      return { deliveries, next: rows.length > limit ? deliveries.at(-1)!.number : null };
    },
    dueDeliveries: async (webhooks, nowMs, limit) =>
      (
        await query<DeliveryRow>(
          `SELECT d.* FROM unnest($1::text[]) AS w (id) CROSS JOIN LATERAL (
             SELECT * FROM writecheck.webhook_delivery WHERE webhook = w.id AND state = 'waiting' AND next_ms <= $2
             ORDER BY next_ms, number LIMIT $3) d`,
          [webhooks, nowMs, limit],
        )
      ).map(storedDelivery),
    async waitingDeliveries() {
      const [row] = await query<{ count: number; oldestAtMs: number | null }>(
        `SELECT count(*) AS count, min(d.at_ms) AS "oldestAtMs"
         FROM writecheck.webhook w JOIN writecheck.webhook_delivery d ON d.webhook = w.id
         WHERE w.state = 'active' AND d.state = 'waiting'`,
      );
      return row!;
    },
    expiringReviews: (workspace, fromMs, toMs) =>
      query<ExpiringReview>(
        `SELECT id, ${EXPIRING} AS "atMs" FROM writecheck.review WHERE workspace = $1 AND state = 'open'
           AND ${EXPIRING} > $2 AND ${EXPIRING} <= $3 ORDER BY 2, 1`,
        [workspace, fromMs, toMs],
      ),
    changedKeys: (workspace, sinceMs) =>
      query<ChangedKey>(
        `SELECT id, kind, name, created_ms AS "createdAtMs", revoked_ms AS "revokedAtMs" FROM writecheck.api_key
         WHERE workspace = $1 AND (created_ms >= $2 OR revoked_ms >= $2) ORDER BY number`,
        [workspace, sinceMs],
      ),
    revisionsAfter: (workspace, revision, limit) =>
      query<NewRevision>(
        `SELECT revision, digest, author_key AS "authorKeyId", author_person AS "authorPersonId", rollback_of AS "rollbackOf",
           created_ms AS "createdAtMs", loosens
         FROM writecheck.policy WHERE workspace = $1 AND revision > $2 ORDER BY revision LIMIT $3`,
        [workspace, revision, limit],
      ),
  };
}

/** Decompresses and parses entries, so this is for a thread that no check waits for. */
export async function notableEntries(
  query: Query,
  archive: Archive,
  log: string,
  from: number,
  workspaces: readonly string[],
): Promise<NotableEntries> {
  const [held] = await query<{ number: number }>('SELECT number FROM writecheck.log WHERE log = $1', [log]);
  if (held === undefined) return { entries: [], next: from };
  const base = held.number * LEAVES_PER_LOG;
  const segments = await query<StoredSegment>(
    `SELECT position, count, body FROM writecheck.segment
     WHERE position + count > $1 AND position < $2 AND position >= coalesce(
       (SELECT position FROM writecheck.segment WHERE position BETWEEN $3 AND $1 ORDER BY position DESC LIMIT 1), $3)
     ORDER BY position`,
    [base + from, base + Math.min(from + NOTABLE_STEP, LEAVES_PER_LOG), base],
  );
  const wanted = new Set(workspaces);
  return withArchive(archive, () => {
    const entries: NotableEntry[] = [];
    let next = from;
    for (const segment of segments) {
      const firstIndex = segment.position - base;
      useSegment(segment, (stored) => {
        entries.push(...notableIn(firstIndex, stored, from, wanted));
      });
      next = firstIndex + segment.count;
    }
    return { entries, next };
  });
}
