/** Events that have no log entry of their own, read from the tables that record them. */
import { calendarMonth } from '@writecheck/contract';
import type { Store } from '@writecheck/store/port';
import type { WebhookCursor } from '@writecheck/store/port/webhooks';
import { DEVELOPMENT_CHECKS_A_MONTH } from '../keys/allowance.ts';
import { reviewOf } from '../reviews/review.ts';
import { type Links, reviewData } from './entry-events.ts';
import { cut, type EventData, type WebhookEvent } from './event-types.ts';

export interface TableSources {
  readonly store: Pick<Store, 'expiringReviews' | 'changedKeys' | 'revisionsAfter' | 'findReviews' | 'usage'>;
  readonly links: Links;
}

/** Keys are read again for this long: a commit may be slow, and clocks of replicas differ. */
const LATE_MS = 60_000;
const QUOTA_PERCENTS: readonly number[] = [80, 100];
const REVISIONS_MAX = 100;

/** Events and the cursor behind them; a caller that cannot take all events must keep its cursor. */
interface TableEvents {
  readonly events: readonly WebhookEvent[];
  readonly cursor: Pick<WebhookCursor, 'revision' | 'timeMs' | 'quota'>;
}

export async function tableEvents(
  sources: TableSources,
  webhook: { readonly workspace: string; readonly createdAtMs: number; readonly cursor: WebhookCursor },
  nowMs: number,
): Promise<TableEvents> {
  const { workspace, createdAtMs, cursor } = webhook;
  const { store } = sources;
  const revisions = await store.revisionsAfter(workspace, cursor.revision, REVISIONS_MAX);
  const keys = await keyEvents(store, workspace, Math.max(createdAtMs, cursor.timeMs - LATE_MS));
  const expiring = await expiringEvents(sources, workspace, cursor.timeMs, nowMs);
  const quota = await quotaEvents(store, workspace, cursor.quota, nowMs);
  const policies = revisions.flatMap((revision) => {
    const data: EventData = {
      workspace,
      revision: revision.revision,
      digest: revision.digest,
      rollbackOf: revision.rollbackOf,
      keyId: revision.authorKeyId,
      personId: revision.authorPersonId,
    };
    const one = (type: 'policy.applied' | 'policy.loosened'): WebhookEvent => ({
      key: `${type} ${revision.revision}`,
      type,
      atMs: revision.createdAtMs,
      data,
    });
    return revision.loosens ? [one('policy.applied'), one('policy.loosened')] : [one('policy.applied')];
  });
  return {
    events: [...policies, ...keys, ...expiring, ...quota.events],
    cursor: {
      revision: revisions.at(-1)?.revision ?? cursor.revision,
      // A clock set back must not report a review twice.
      timeMs: Math.max(cursor.timeMs, nowMs),
      quota: quota.told,
    },
  };
}

async function keyEvents(
  store: TableSources['store'],
  workspace: string,
  sinceMs: number,
): Promise<readonly WebhookEvent[]> {
  const keys = await store.changedKeys(workspace, sinceMs);
  return keys.flatMap(({ id, kind, name, createdAtMs, revokedAtMs }) => {
    const data: EventData = { workspace, keyId: id, kind, name: cut(name) };
    const events: WebhookEvent[] = [];
    if (createdAtMs >= sinceMs)
      events.push({ key: `key.created ${id}`, type: 'key.created', atMs: createdAtMs, data });
    if (revokedAtMs !== null && revokedAtMs >= sinceMs)
      events.push({ key: `key.revoked ${id}`, type: 'key.revoked', atMs: revokedAtMs, data });
    return events;
  });
}

/**
 * Reviews still open after three quarters of their time. Each is reported once, because the cursor passes that
 * moment once.
 */
async function expiringEvents(
  { store, links }: TableSources,
  workspace: string,
  fromMs: number,
  toMs: number,
): Promise<readonly WebhookEvent[]> {
  const expiring = await store.expiringReviews(workspace, fromMs, toMs);
  if (expiring.length === 0) return [];
  const found = await store.findReviews(
    workspace,
    expiring.map(({ id }) => id),
  );
  const reviews = new Map(found.map((review) => [review.id, reviewOf(review)]));
  return (
    expiring
      // Skips reviews whose time is over, even if nothing has closed them yet.
      .filter(({ id }) => (reviews.get(id)?.expiresAtMs ?? 0) > toMs)
      .map(({ id, atMs }) => ({
        key: `review.expiring ${id}`,
        type: 'review.expiring',
        atMs,
        data: { ...reviewData(id, workspace, reviews.get(id), links), state: 'open', because: null },
      }))
  );
}

async function quotaEvents(
  store: TableSources['store'],
  workspace: string,
  told: WebhookCursor['quota'],
  nowMs: number,
): Promise<{ readonly events: readonly WebhookEvent[]; readonly told: WebhookCursor['quota'] }> {
  const { period } = calendarMonth(nowMs);
  const before = told.period === period ? told.percent : 0;
  const used = (await store.usage(workspace, period)).development;
  const limit = DEVELOPMENT_CHECKS_A_MONTH;
  const reached = QUOTA_PERCENTS.filter(
    (percent) => percent > before && used >= Math.ceil((limit * percent) / 100),
  );
  const events = reached.map(
    (percent): WebhookEvent => ({
      key: `quota.reached ${period} ${percent}`,
      type: 'quota.reached',
      atMs: nowMs,
      data: { workspace, period, kind: 'development', percent, used, limit },
    }),
  );
  return { events, told: { period, percent: reached.at(-1) ?? before } };
}

/** Finds where a new webhook starts: it gets only events after its creation. */
export async function cursorAt(
  store: Pick<Store, 'usage' | 'revisionsAfter'>,
  newestRevision: number,
  workspace: string,
  nowMs: number,
): Promise<Omit<WebhookCursor, 'logs'>> {
  const nothing = { period: '', percent: 0 };
  const { told } = await quotaEvents(store as TableSources['store'], workspace, nothing, nowMs);
  return { revision: newestRevision, timeMs: nowMs, quota: told };
}
