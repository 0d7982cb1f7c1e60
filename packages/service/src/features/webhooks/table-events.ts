/** Events that have no log entry of their own, read from the tables that record them. */
import { calendarMonth } from '@writecheck/contract';
import type { Store } from '@writecheck/store/port';
import type { WebhookCursor } from '@writecheck/store/port/webhooks';
import { DEVELOPMENT_CHECKS_A_MONTH } from '../keys/allowance.ts';
import { reviewOf } from '../reviews/review.ts';
import { type Links, reviewData } from './entry-events.ts';
import type { WebhookEvent } from './event-types.ts';

export interface TableSources {
  readonly store: Pick<Store, 'expiringReviews' | 'findReviews' | 'usage'>;
  readonly links: Links;
}

const QUOTA_PERCENTS: readonly number[] = [80, 100];

/** Events and the cursor behind them; a caller that cannot take all events must keep its cursor. */
interface TableEvents {
  readonly events: readonly WebhookEvent[];
  readonly cursor: Pick<WebhookCursor, 'timeMs' | 'quota'>;
}

export async function tableEvents(
  sources: TableSources,
  { workspace, cursor }: { readonly workspace: string; readonly cursor: WebhookCursor },
  nowMs: number,
): Promise<TableEvents> {
  const expiring = await expiringEvents(sources, workspace, cursor.timeMs, nowMs);
  const quota = await quotaEvents(sources.store, workspace, cursor.quota, nowMs);
  // A clock set back must not report a review twice.
  const timeMs = Math.max(cursor.timeMs, nowMs);
  return { events: [...expiring, ...quota.events], cursor: { timeMs, quota: quota.told } };
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
  store: Pick<Store, 'usage'>,
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
  store: Pick<Store, 'usage'>,
  workspace: string,
  nowMs: number,
): Promise<Omit<WebhookCursor, 'logs'>> {
  const { told } = await quotaEvents(store, workspace, { period: '', percent: 0 }, nowMs);
  return { timeMs: nowMs, quota: told };
}
