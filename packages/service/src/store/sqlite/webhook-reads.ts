/** Lookups of webhooks and their deliveries in SQLite, and of what webhooks report beside the log. */
import { NOTABLE_STEP, notableIn } from '../notable-entries.ts';
import type {
  ChangedKey,
  DeliveryPage,
  ExpiringReview,
  HeldWebhook,
  NewRevision,
  NotableEntries,
  NotableEntry,
  StoredDelivery,
  StoredWebhook,
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
import type { Db } from './open-database.ts';

type RevisionRow = Omit<NewRevision, 'loosens'> & { readonly loosens: number };

export function prepareWebhookReads(db: Db) {
  const one = db.prepare('SELECT * FROM webhook WHERE workspace = ? AND id = ?');
  const ofWorkspace = db.prepare('SELECT * FROM webhook WHERE workspace = ? ORDER BY number');
  const anyActive = db.prepare("SELECT 1 FROM webhook WHERE state = 'active' AND signer = ? LIMIT 1").pluck();
  const held = db.prepare(
    `SELECT w.*, (SELECT count(*) FROM webhook_delivery d WHERE d.webhook = w.id AND d.state = 'waiting') AS waiting
     FROM webhook w WHERE state = 'active' AND holder = ? AND leased_until_ms > ? ORDER BY number`,
  );
  const delivery = db.prepare('SELECT * FROM webhook_delivery WHERE webhook = ? AND id = ?');
  const page = db.prepare(
    `SELECT * FROM webhook_delivery WHERE webhook = @webhook AND (@before IS NULL OR number < @before)
     ORDER BY number DESC LIMIT @limit`,
  );
  const due = db.prepare(
    `SELECT * FROM webhook_delivery WHERE webhook = ? AND state = 'waiting' AND next_ms <= ?
     ORDER BY next_ms, number LIMIT ?`,
  );
  const waiting = db.prepare(
    `SELECT count(*) AS count, min(d.at_ms) AS oldestAtMs FROM webhook w JOIN webhook_delivery d ON d.webhook = w.id
     WHERE w.state = 'active' AND d.state = 'waiting'`,
  );
  const expiring = db.prepare(
    `SELECT id, opened_ms + (expires_ms - opened_ms) * 3 / 4 AS atMs FROM review
     WHERE workspace = @workspace AND state = 'open'
       AND opened_ms + (expires_ms - opened_ms) * 3 / 4 > @fromMs
       AND opened_ms + (expires_ms - opened_ms) * 3 / 4 <= @toMs ORDER BY 2, 1`,
  );
  const keys = db.prepare(
    `SELECT id, kind, name, created_ms AS createdAtMs, revoked_ms AS revokedAtMs FROM api_key
     WHERE workspace = @workspace AND (created_ms >= @sinceMs OR revoked_ms >= @sinceMs) ORDER BY number`,
  );
  const revisions = db.prepare(
    `SELECT revision, digest, author_key AS authorKeyId, author_person AS authorPersonId,
       rollback_of AS rollbackOf, created_ms AS createdAtMs, loosens
     FROM policy WHERE workspace = ? AND revision > ? ORDER BY revision LIMIT ?`,
  );
  const found = (row: unknown): StoredWebhook | null =>
    row === undefined ? null : storedWebhook(row as WebhookRow);
  return {
    findWebhook: (workspace: string, id: string): StoredWebhook | null => found(one.get(workspace, id)),
    listWebhooks: (workspace: string): readonly StoredWebhook[] =>
      (ofWorkspace.all(workspace) as WebhookRow[]).map(storedWebhook),
    hasActiveWebhook: (signer: string): boolean => anyActive.get(signer) !== undefined,
    heldWebhooks: (holder: string, nowMs: number): readonly HeldWebhook[] =>
      (held.all(holder, nowMs) as HeldRow[]).map(heldWebhook),
    findDeliveries: (webhook: string, ids: readonly string[]): readonly StoredDelivery[] =>
      ids
        .map((id) => delivery.get(webhook, id) as DeliveryRow | undefined)
        .filter((row) => row !== undefined)
        .map(storedDelivery),
    listDeliveries(webhook: string, before: number | null, limit: number): DeliveryPage {
      const rows = page.all({ webhook, before, limit: limit + 1 }) as DeliveryRow[];
      const deliveries = rows.slice(0, limit).map(storedDelivery);
      return { deliveries, next: rows.length > limit ? deliveries.at(-1)!.number : null };
    },
    dueDeliveries: (webhooks: readonly string[], nowMs: number, limit: number): readonly StoredDelivery[] =>
      webhooks.flatMap((webhook) => (due.all(webhook, nowMs, limit) as DeliveryRow[]).map(storedDelivery)),
    waitingDeliveries: () => waiting.get() as { readonly count: number; readonly oldestAtMs: number | null },
    expiringReviews: (workspace: string, fromMs: number, toMs: number): readonly ExpiringReview[] =>
      expiring.all({ workspace, fromMs, toMs }) as ExpiringReview[],
    changedKeys: (workspace: string, sinceMs: number): readonly ChangedKey[] =>
      keys.all({ workspace, sinceMs }) as ChangedKey[],
    revisionsAfter: (workspace: string, revision: number, limit: number): readonly NewRevision[] =>
      (revisions.all(workspace, revision, limit) as RevisionRow[]).map((row) => ({
        ...row,
        loosens: row.loosens === 1,
      })),
  };
}

/** Decompresses and parses entries, so this is for a thread that no check waits for. */
export function notableEntries(
  db: Db,
  log: string,
  from: number,
  workspaces: readonly string[],
): NotableEntries {
  const base = db.prepare('SELECT base FROM log WHERE log = ?').pluck().get(log) as number | undefined;
  if (base === undefined) return { entries: [], next: from };
  const pending = db.prepare(
    `SELECT position, count, body FROM segment WHERE log = @log AND position + count > @from AND position >=
       coalesce((SELECT max(position) FROM segment WHERE position <= @from), 0)
     ORDER BY position`,
  );
  const wanted = new Set(workspaces);
  const entries: NotableEntry[] = [];
  let next = from;
  for (const row of pending.iterate({ log, from: base + from })) {
    const segment = row as StoredSegment;
    const firstIndex = segment.position - base;
    useSegment(segment, (stored) => {
      entries.push(...notableIn(firstIndex, stored, from, wanted));
    });
    next = firstIndex + segment.count;
    if (next - from >= NOTABLE_STEP) break;
  }
  return { entries, next };
}
