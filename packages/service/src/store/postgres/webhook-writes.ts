/** Webhooks and their deliveries in PostgreSQL: the operations that write, each one transaction. */
import type { NewDelivery, Webhooks } from '../port/webhooks.ts';
import {
  countCallText,
  type DeliveryRow,
  firstCursor,
  storedDelivery,
  WEBHOOK_COLUMNS,
  webhookRow,
} from '../webhook-rows.ts';
import type { Connections, Query } from './connection.ts';
import { lockWorkspace } from './lock-workspace.ts';

const NOBODY = '';
const SWEEP_ROWS = 1_000;

type Writes = Pick<
  Webhooks,
  | 'createWebhook'
  | 'changeWebhook'
  | 'deleteWebhook'
  | 'countCall'
  | 'addDelivery'
  | 'redeliver'
  | 'leaseWebhooks'
  | 'releaseWebhooks'
  | 'takeEvents'
  | 'settleDeliveries'
  | 'sweepDeliveries'
>;

const COUNT_CALL = countCallText('writecheck.', {
  workspace: '$1',
  now: '$2::bigint',
  over: '$3::bigint',
  most: '$4::integer',
});

export function prepareWebhookWrites({ transaction, query: run }: Connections): Writes {
  const isHeld = async (query: Query, webhook: string, holder: string): Promise<boolean> => {
    const text = 'SELECT 1 FROM writecheck.webhook WHERE id = $1 AND holder = $2 FOR NO KEY UPDATE';
    return (await query(text, [webhook, holder])).length === 1;
  };
  return {
    createWebhook: (webhook, most) =>
      transaction(async (query) => {
        // Whatever creates another one waits here, so that the count stays exact.
        await lockWorkspace(query, webhook.workspace);
        const existing = await query('SELECT 1 FROM writecheck.webhook WHERE workspace = $1', [
          webhook.workspace,
        ]);
        if (existing.length >= most) return { kind: 'too_many' };
        const logs = await query<{ log: string; size: number }>('SELECT log, size FROM writecheck.log');
        const row = webhookRow({ ...webhook, version: 1 });
        const places = WEBHOOK_COLUMNS.map((_, i) => `$${i + 2}`).join(', ');
        await query(
          `INSERT INTO writecheck.webhook (cursor, ${WEBHOOK_COLUMNS.join(', ')}, holder, leased_until_ms)
           VALUES ($1, ${places}, '${NOBODY}', 0)`,
          [firstCursor(webhook, logs), ...WEBHOOK_COLUMNS.map((column) => row[column])],
        );
        return { kind: 'created' };
      }),
    async countCall(workspace, { most, windowMs }, nowMs) {
      const [counted] = await run<{ since_ms: number }>(COUNT_CALL, [
        workspace,
        nowMs,
        nowMs - windowMs,
        most,
      ]);
      if (counted !== undefined) return { isAdmitted: true, sinceMs: counted.since_ms };
      const text = 'SELECT since_ms FROM writecheck.webhook_call WHERE workspace = $1';
      const [full] = await run<{ since_ms: number }>(text, [workspace]);
      return { isAdmitted: false, sinceMs: full!.since_ms };
    },
    changeWebhook: (webhook, resumes) =>
      transaction(async (query) => {
        const row = webhookRow(webhook);
        const changed = await query(
          `UPDATE writecheck.webhook SET ${WEBHOOK_COLUMNS.map((column, i) => `${column} = $${i + 1}`).join(', ')}
           WHERE workspace = $1 AND id = $2 AND version = $3::bigint - 1 RETURNING 1`,
          WEBHOOK_COLUMNS.map((column) => row[column]),
        );
        if (changed.length !== 1) return false;
        if (resumes === null) return true;
        await query(
          `UPDATE writecheck.webhook_delivery SET state = 'dropped', next_ms = NULL
           WHERE webhook = $1 AND state = 'waiting' AND at_ms < $2`,
          [webhook.id, resumes.dropsBeforeMs],
        );
        await query(
          `UPDATE writecheck.webhook_delivery SET next_ms = $2 WHERE webhook = $1 AND state = 'waiting'`,
          [webhook.id, resumes.nowMs],
        );
        return true;
      }),
    deleteWebhook: (workspace, id) =>
      transaction(async (query) => {
        const text = 'DELETE FROM writecheck.webhook WHERE workspace = $1 AND id = $2 RETURNING 1';
        if ((await query(text, [workspace, id])).length !== 1) return false;
        await query('DELETE FROM writecheck.webhook_delivery WHERE webhook = $1', [id]);
        return true;
      }),
    addDelivery: (webhook, delivery, nowMs) =>
      transaction(async (query) => {
        // Held until the end, so that deleting the webhook leaves no delivery behind.
        const text = 'SELECT 1 FROM writecheck.webhook WHERE id = $1 FOR KEY SHARE';
        if ((await query(text, [webhook])).length !== 1) return false;
        await add(query, webhook, [delivery], nowMs);
        return true;
      }),
    async redeliver(webhook, id, nowMs) {
      const [row] = await run<DeliveryRow>(
        `UPDATE writecheck.webhook_delivery SET state = 'waiting', attempts = 0, next_ms = $3
         WHERE webhook = $1 AND id = $2 RETURNING *`,
        [webhook, id, nowMs],
      );
      return row === undefined ? null : storedDelivery(row);
    },
    async leaseWebhooks({ holder, signer, nowMs, untilMs }) {
      await run(
        `UPDATE writecheck.webhook SET holder = $1, leased_until_ms = $4 WHERE id IN (
           SELECT id FROM writecheck.webhook WHERE state = 'active' AND signer = $2
             AND (holder = $1 OR leased_until_ms <= $3) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)`,
        [holder, signer, nowMs, untilMs],
      );
    },
    async releaseWebhooks(holder) {
      await run(`UPDATE writecheck.webhook SET holder = '${NOBODY}', leased_until_ms = 0 WHERE holder = $1`, [
        holder,
      ]);
    },
    takeEvents: (holder, webhook, cursor, deliveries, nowMs) =>
      transaction(async (query) => {
        // INVARIANT: only the holder moves the cursor, together with the deliveries it passed.
        const moved = await query(
          'UPDATE writecheck.webhook SET cursor = $1 WHERE id = $2 AND holder = $3 RETURNING 1',
          [JSON.stringify(cursor), webhook, holder],
        );
        if (moved.length !== 1) return false;
        if (deliveries.length > 0) await add(query, webhook, deliveries, nowMs);
        return true;
      }),
    async settleDeliveries(holder, results) {
      const byWebhook = Map.groupBy(results, ({ webhook }) => webhook);
      for (const [webhook, ofWebhook] of byWebhook) {
        await transaction(async (query) => {
          if (!(await isHeld(query, webhook, holder))) return;
          for (const { id, state, attempts, status, nextAtMs, disables } of ofWebhook) {
            await query(
              `UPDATE writecheck.webhook_delivery SET state = $3, attempts = $4, status = $5, next_ms = $6
               WHERE webhook = $1 AND id = $2`,
              [webhook, id, state, attempts, status, nextAtMs],
            );
            if (disables === undefined) continue;
            await query(
              `UPDATE writecheck.webhook SET state = 'disabled', because = $2, version = version + 1
               WHERE id = $1 AND state = 'active'`,
              [webhook, disables],
            );
          }
        });
      }
    },
    async sweepDeliveries(webhooks, beforeMs, most) {
      let removed = 0;
      for (const webhook of webhooks) {
        const gone = await run(
          `DELETE FROM writecheck.webhook_delivery WHERE number IN (SELECT number FROM writecheck.webhook_delivery
             WHERE webhook = $1 AND state <> 'waiting' AND (at_ms < $2 OR number <= (
               SELECT number FROM writecheck.webhook_delivery WHERE webhook = $1 ORDER BY number DESC LIMIT 1 OFFSET $3))
             ORDER BY number LIMIT ${SWEEP_ROWS}) RETURNING 1`,
          [webhook, beforeMs, most],
        );
        removed += gone.length;
      }
      return removed;
    },
  };
}

async function add(
  query: Query,
  webhook: string,
  deliveries: readonly NewDelivery[],
  nowMs: number,
): Promise<void> {
  await query(
    `INSERT INTO writecheck.webhook_delivery (webhook, id, type, at_ms, data, state, attempts, next_ms)
     SELECT $1, id, type, at_ms, data, state, 0, next_ms FROM unnest($2::text[], $3::text[], $4::bigint[],
       $5::text[], $6::text[], $7::bigint[]) WITH ORDINALITY AS d (id, type, at_ms, data, state, next_ms, place)
     ORDER BY place ON CONFLICT DO NOTHING`,
    [
      webhook,
      deliveries.map(({ id }) => id),
      deliveries.map(({ type }) => type),
      deliveries.map(({ atMs }) => atMs),
      deliveries.map(({ data }) => data),
      deliveries.map(({ state }) => state),
      deliveries.map(({ state }) => (state === 'waiting' ? nowMs : null)),
    ],
  );
}
