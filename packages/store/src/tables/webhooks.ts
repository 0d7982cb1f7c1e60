/** Webhooks: what they report, to whom, and which process delivers them. */
import type { ResourceChangeEntry } from '@writecheck/ledger/log';
import { notedEntries } from '../commit/new-entries.ts';
import type { Acting } from '../port/acting.ts';
import type {
  CallCount,
  CallLimit,
  HeldWebhook,
  Lease,
  NewWebhook,
  StoredWebhook,
  WebhookCursor,
} from '../port/webhooks.ts';
import { begin } from './acting.ts';
import { IS_ACTIVE } from './lock-workspace.ts';
import { json, mapping } from './mapping.ts';
import { type Append, append, assignments, insertion, type Read, sql, type Write } from './operation.ts';

export const TABLES = `
CREATE TABLE writecheck.webhook (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace text NOT NULL,
  id text COLLATE "C" NOT NULL UNIQUE,
  version bigint NOT NULL,
  url text NOT NULL,
  events text NOT NULL,
  format text NOT NULL,
  description text,
  state text NOT NULL,
  because text,
  signer text NOT NULL,
  rotation bigint NOT NULL,
  rotated_ms bigint,
  created_ms bigint NOT NULL,
  cursor text NOT NULL,
  holder text NOT NULL,
  leased_until_ms bigint NOT NULL,
  sealed text NOT NULL,
  sealed_before text
);
CREATE INDEX webhook_by_workspace ON writecheck.webhook (workspace, number);
CREATE INDEX webhook_active ON writecheck.webhook (signer) WHERE state = 'active';

-- Tests and redeliveries that a workspace sent in its current window, over all processes.
CREATE TABLE writecheck.webhook_call (
  workspace text COLLATE "C" PRIMARY KEY,
  since_ms bigint NOT NULL,
  calls integer NOT NULL
);
`;

const NOBODY = '';

const WEBHOOK = mapping<StoredWebhook>({
  workspace: 'workspace',
  id: 'id',
  version: 'version',
  url: 'url',
  events: json('events'),
  format: 'format',
  description: 'description',
  state: 'state',
  because: 'because',
  signer: 'signer',
  sealed: 'sealed',
  sealedBefore: 'sealed_before',
  rotation: 'rotation',
  rotatedAtMs: 'rotated_ms',
  createdAtMs: 'created_ms',
});

const HELD = mapping<Omit<HeldWebhook, keyof StoredWebhook>>({
  cursor: json('cursor'),
  leasedUntilMs: 'leased_until_ms',
  waiting: 'waiting',
});

export function* findWebhook(workspace: string, id: string): Read<StoredWebhook | null> {
  const [row] =
    yield* sql<object>`SELECT * FROM writecheck.webhook WHERE workspace = ${workspace} AND id = ${id}`;
  return row === undefined ? null : WEBHOOK.storedOf(row);
}

/** Oldest first. */
export function* listWebhooks(workspace: string): Read<readonly StoredWebhook[]> {
  const rows =
    yield* sql<object>`SELECT * FROM writecheck.webhook WHERE workspace = ${workspace} ORDER BY number`;
  return rows.map(WEBHOOK.storedOf);
}

/** Whether an active webhook of this signer exists: if none does, nothing reads the log. */
export function* hasActiveWebhook(signer: string): Read<boolean> {
  const found =
    yield* sql`SELECT 1 FROM writecheck.webhook WHERE state = 'active' AND signer = ${signer} LIMIT 1`;
  return found.length > 0;
}

/** INVARIANT: nothing is sent for a workspace that is not active, also while its webhooks are still leased. */
export function* heldWebhooks(holder: string, nowMs: number): Read<readonly HeldWebhook[]> {
  const rows = yield* sql<object>`SELECT w.*, (SELECT count(*) FROM writecheck.webhook_delivery d
      WHERE d.webhook = w.id AND d.state = 'waiting') AS waiting
    FROM writecheck.webhook w WHERE state = 'active' AND holder = ${holder} AND leased_until_ms > ${nowMs}
      AND ${IS_ACTIVE}
    ORDER BY number`;
  return rows.map((row) => ({ ...WEBHOOK.storedOf(row), ...HELD.storedOf(row) }));
}

interface LogEnd {
  readonly log: string;
  readonly size: number;
}

/** Reads where each log ends in the same transaction: the log is read from the webhook's creation on. */
export function* createWebhook(
  webhook: NewWebhook,
  most: number,
  by: Acting,
): Append<{ readonly kind: 'created' | 'too_many' }> {
  // Creating another webhook waits here, so that the count stays exact.
  yield* begin(webhook.workspace, by, webhook.createdAtMs);
  const existing = yield* sql`SELECT 1 FROM writecheck.webhook WHERE workspace = ${webhook.workspace}`;
  if (existing.length >= most) return { kind: 'too_many' };
  // The cursor starts after everything that the logs hold now.
  const logs = yield* sql<LogEnd>`SELECT log, size FROM writecheck.log`;
  const cursor: WebhookCursor = Object.fromEntries(logs.map(({ log, size }) => [log, size]));
  const lease = { cursor: JSON.stringify(cursor), holder: NOBODY, leased_until_ms: 0 };
  const row = { ...WEBHOOK.rowOf({ ...webhook, version: 1 }), ...lease };
  yield* sql`INSERT INTO writecheck.webhook ${insertion(row)}`;
  yield* noteWebhook('webhook.created', webhook, by, webhook.createdAtMs);
  return { kind: 'created' };
}

/**
 * Replaces its settings and secret; false if its version is not one less, or it is gone. With `dropsBeforeMs`,
 * waiting deliveries of earlier events are dropped and the others are due now.
 */
export function* changeWebhook(
  webhook: StoredWebhook,
  dropsBeforeMs: number | null,
  by: Acting,
  nowMs: number,
): Append<boolean> {
  const { workspace, id, version } = webhook;
  yield* begin(workspace, by, nowMs);
  const changed = yield* sql`UPDATE writecheck.webhook SET ${assignments(WEBHOOK.rowOf(webhook))}
    WHERE workspace = ${workspace} AND id = ${id} AND version = ${version - 1} RETURNING 1`;
  if (changed.length !== 1) return false;
  yield* noteWebhook('webhook.changed', webhook, by, nowMs);
  if (dropsBeforeMs === null) return true;
  yield* sql`UPDATE writecheck.webhook_delivery SET state = 'dropped', next_ms = NULL
    WHERE webhook = ${id} AND state = 'waiting' AND at_ms < ${dropsBeforeMs}`;
  yield* sql`UPDATE writecheck.webhook_delivery SET next_ms = ${nowMs}
    WHERE webhook = ${id} AND state = 'waiting'`;
  return true;
}

/** False if there is none. */
export function* deleteWebhook(workspace: string, id: string, by: Acting, nowMs: number): Append<boolean> {
  yield* begin(workspace, by, nowMs, true);
  const gone =
    yield* sql`DELETE FROM writecheck.webhook WHERE workspace = ${workspace} AND id = ${id} RETURNING 1`;
  if (gone.length !== 1) return false;
  yield* sql`DELETE FROM writecheck.webhook_delivery WHERE webhook = ${id}`;
  yield* noteWebhook('webhook.deleted', { workspace, id }, by, nowMs);
  return true;
}

function* noteWebhook(
  kind: ResourceChangeEntry['kind'] & `webhook.${string}`,
  { workspace, id: webhook }: Pick<StoredWebhook, 'workspace' | 'id'>,
  by: Acting,
  nowMs: number,
): Append<void> {
  const timestamp = new Date(nowMs).toISOString();
  yield* append((log) => notedEntries(log, [{ kind, workspace, timestamp, by, webhook }]));
}

/** Counts one test or redelivery of a workspace, over all processes; a refused one is not counted. */
export function* countCall(
  workspace: string,
  { most, windowMs }: CallLimit,
  nowMs: number,
): Write<CallCount> {
  const overMs = nowMs - windowMs;
  const [counted] = yield* sql<{ readonly since_ms: number }>`
    INSERT INTO writecheck.webhook_call AS c (workspace, since_ms, calls) VALUES (${workspace}, ${nowMs}, 1)
    ON CONFLICT (workspace) DO UPDATE SET
      since_ms = CASE WHEN c.since_ms <= ${overMs} THEN excluded.since_ms ELSE c.since_ms END,
      calls = CASE WHEN c.since_ms <= ${overMs} THEN 1 ELSE c.calls + 1 END
    WHERE c.calls < ${most} OR c.since_ms <= ${overMs} RETURNING since_ms`;
  if (counted !== undefined) return { isAdmitted: true, sinceMs: counted.since_ms };
  const [full] = yield* sql<{ readonly since_ms: number }>`SELECT since_ms FROM writecheck.webhook_call
    WHERE workspace = ${workspace}`;
  return { isAdmitted: false, sinceMs: full!.since_ms };
}

/** Takes or renews the lease of every active webhook that nobody else holds. */
export function* leaseWebhooks({ holder, signer, nowMs, untilMs }: Lease): Write<void> {
  yield* sql`UPDATE writecheck.webhook SET holder = ${holder}, leased_until_ms = ${untilMs} WHERE id IN (
    SELECT id FROM writecheck.webhook WHERE state = 'active' AND signer = ${signer}
      AND ${IS_ACTIVE}
      AND (holder = ${holder} OR leased_until_ms <= ${nowMs}) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)`;
}

export function* releaseWebhooks(holder: string): Write<void> {
  yield* sql`UPDATE writecheck.webhook SET holder = ${NOBODY}, leased_until_ms = 0 WHERE holder = ${holder}`;
}
