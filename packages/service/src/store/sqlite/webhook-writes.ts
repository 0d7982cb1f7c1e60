/** Webhooks and their deliveries in SQLite: the operations that write, each one transaction. */
import type {
  CallCount,
  CallLimit,
  DeliveryResult,
  Lease,
  NewDelivery,
  NewWebhook,
  StoredDelivery,
  StoredWebhook,
  WebhookCursor,
} from '../port/webhooks.ts';
import {
  countCallText,
  type DeliveryRow,
  firstCursor,
  storedDelivery,
  WEBHOOK_COLUMNS,
  webhookRow,
} from '../webhook-rows.ts';
import type { Db } from './open-database.ts';

const NOBODY = '';
const SWEEP_ROWS = 1_000;

export function prepareWebhookWrites(db: Db) {
  const count = db.prepare('SELECT count(*) FROM webhook WHERE workspace = ?').pluck();
  const logs = db.prepare('SELECT log, size FROM log');
  const insert = db.prepare(
    `INSERT INTO webhook (${WEBHOOK_COLUMNS.join(', ')}, cursor, holder, leased_until_ms)
     VALUES (${WEBHOOK_COLUMNS.map((name) => `@${name}`).join(', ')}, @cursor, '${NOBODY}', 0)`,
  );
  const update = db.prepare(
    `UPDATE webhook SET ${WEBHOOK_COLUMNS.map((name) => `${name} = @${name}`).join(', ')}
     WHERE workspace = @workspace AND id = @id AND version = @version - 1`,
  );
  const remove = db.prepare('DELETE FROM webhook WHERE workspace = ? AND id = ?');
  const removeDeliveries = db.prepare('DELETE FROM webhook_delivery WHERE webhook = ?');
  const exists = db.prepare('SELECT 1 FROM webhook WHERE id = ?').pluck();
  const isHeld = db.prepare('SELECT 1 FROM webhook WHERE id = ? AND holder = ?').pluck();
  const addOne = db.prepare(
    `INSERT INTO webhook_delivery (webhook, id, type, at_ms, data, state, attempts, next_ms)
     VALUES (?, ?, ?, ?, ?, ?, 0, ?) ON CONFLICT DO NOTHING`,
  );
  const drop = db.prepare(
    `UPDATE webhook_delivery SET state = 'dropped', next_ms = NULL
     WHERE webhook = ? AND state = 'waiting' AND at_ms < ?`,
  );
  const hurry = db.prepare("UPDATE webhook_delivery SET next_ms = ? WHERE webhook = ? AND state = 'waiting'");
  const again = db.prepare(
    `UPDATE webhook_delivery SET state = 'waiting', attempts = 0, next_ms = ?
     WHERE webhook = ? AND id = ? RETURNING *`,
  );
  const lease = db.prepare(
    `UPDATE webhook SET holder = @holder, leased_until_ms = @untilMs
     WHERE state = 'active' AND signer = @signer AND (holder = @holder OR leased_until_ms <= @nowMs)`,
  );
  const release = db.prepare(`UPDATE webhook SET holder = '${NOBODY}', leased_until_ms = 0 WHERE holder = ?`);
  const move = db.prepare('UPDATE webhook SET cursor = ? WHERE id = ? AND holder = ?');
  const settle = db.prepare(
    `UPDATE webhook_delivery SET state = @state, attempts = @attempts, status = @status, next_ms = @nextAtMs
     WHERE webhook = @webhook AND id = @id`,
  );
  const disable = db.prepare(
    `UPDATE webhook SET state = 'disabled', because = ?, version = version + 1 WHERE id = ? AND state = 'active'`,
  );
  const sweep = db.prepare(
    `DELETE FROM webhook_delivery WHERE number IN (SELECT number FROM webhook_delivery
       WHERE webhook = @webhook AND state <> 'waiting' AND (at_ms < @beforeMs OR number <= (
         SELECT number FROM webhook_delivery WHERE webhook = @webhook ORDER BY number DESC LIMIT 1 OFFSET @most))
       ORDER BY number LIMIT ${SWEEP_ROWS})`,
  );

  const countCall = db
    .prepare(countCallText('', { workspace: '@workspace', now: '@now', over: '@over', most: '@most' }))
    .pluck();
  const callsSince = db.prepare('SELECT since_ms FROM webhook_call WHERE workspace = ?').pluck();

  const add = (webhook: string, { id, type, atMs, data, state }: NewDelivery, nowMs: number): void => {
    addOne.run(webhook, id, type, atMs, data, state, state === 'waiting' ? nowMs : null);
  };

  return {
    createWebhook(webhook: NewWebhook, most: number): { readonly kind: 'created' | 'too_many' } {
      if ((count.get(webhook.workspace) as number) >= most) return { kind: 'too_many' };
      const cursor = firstCursor(webhook, logs.all() as { log: string; size: number }[]);
      insert.run({ ...webhookRow({ ...webhook, version: 1 }), cursor });
      return { kind: 'created' };
    },
    changeWebhook(
      webhook: StoredWebhook,
      resumes: { readonly nowMs: number; readonly dropsBeforeMs: number } | null,
    ): boolean {
      if (update.run(webhookRow(webhook)).changes !== 1) return false;
      if (resumes === null) return true;
      drop.run(webhook.id, resumes.dropsBeforeMs);
      hurry.run(resumes.nowMs, webhook.id);
      return true;
    },
    deleteWebhook(workspace: string, id: string): boolean {
      if (remove.run(workspace, id).changes !== 1) return false;
      removeDeliveries.run(id);
      return true;
    },
    countCall(workspace: string, { most, windowMs }: CallLimit, nowMs: number): CallCount {
      const since = countCall.get({ workspace, now: nowMs, over: nowMs - windowMs, most });
      if (since !== undefined) return { isAdmitted: true, sinceMs: since as number };
      return { isAdmitted: false, sinceMs: callsSince.get(workspace) as number };
    },
    addDelivery(webhook: string, delivery: NewDelivery, nowMs: number): boolean {
      if (exists.get(webhook) === undefined) return false;
      add(webhook, delivery, nowMs);
      return true;
    },
    redeliver(webhook: string, id: string, nowMs: number): StoredDelivery | null {
      const row = again.get(nowMs, webhook, id) as DeliveryRow | undefined;
      return row === undefined ? null : storedDelivery(row);
    },
    leaseWebhooks(wanted: Lease): void {
      lease.run(wanted);
    },
    releaseWebhooks(holder: string): void {
      release.run(holder);
    },
    takeEvents(
      holder: string,
      webhook: string,
      cursor: WebhookCursor,
      deliveries: readonly NewDelivery[],
      nowMs: number,
    ): boolean {
      // INVARIANT: only the holder moves the cursor, together with the deliveries it passed.
      if (move.run(JSON.stringify(cursor), webhook, holder).changes !== 1) return false;
      for (const delivery of deliveries) add(webhook, delivery, nowMs);
      return true;
    },
    settleDeliveries(holder: string, results: readonly DeliveryResult[]): void {
      for (const { disables, ...result } of results) {
        if (isHeld.get(result.webhook, holder) === undefined) continue;
        settle.run(result);
        if (disables !== undefined) disable.run(disables, result.webhook);
      }
    },
    sweepDeliveries(webhooks: readonly string[], beforeMs: number, most: number): number {
      let removed = 0;
      for (const webhook of webhooks) removed += sweep.run({ webhook, beforeMs, most }).changes;
      return removed;
    },
  };
}
