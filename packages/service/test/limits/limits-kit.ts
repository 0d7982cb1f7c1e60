/** Starts a service with its own clock, a bundle with limits, and checks that draw, for tests of limits. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { onServer } from '../../../store/test/test-postgres.ts';
import type { Flags } from '../../src/support/config/load-config.ts';
import { ask, type Reply } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

export const NOON_MS = Date.parse('2026-11-17T12:00:00.000Z');

const PERMIT = { kind: 'Profile', id: 'free', match: { system: 'pay' }, permit: true };
const PACK = {
  kind: 'ControlPack',
  id: 'pack',
  controls: { approval: { assurance: 'attested', review: true } },
};

/** The documents beside the limits. */
export const BASE = [PACK, PERMIT];

export const PER_CUSTOMER = {
  kind: 'Limit',
  id: 'refunds',
  version: '1',
  match: { system: 'pay' },
  by: ['intent.metadata.context.customer'],
  max: 5,
  per: 'day',
};

export function refund(customer: unknown, amount?: unknown) {
  return { system: 'pay', operation: 'refund.create', metadata: { context: { customer, amount } } };
}

export interface LimitsKit {
  service: TestService;
  /** Milliseconds that the service's clock is ahead of noon. */
  aheadMs: number;
  nowMs(): number;
  apply(...limits: readonly object[]): Promise<void>;
  check(
    intent: unknown,
    init?: { readonly key?: string; readonly headers?: Record<string, string> },
  ): Promise<Reply>;
  get(path: string, key?: string): Promise<Reply>;
  /** Stops the service and starts it again on the same store. */
  restart(): Promise<void>;
  /** Runs SQL on the database: the table `limit_draws` has this name in both. */
  runSql(text: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startLimits(settings: Flags = {}): Promise<LimitsKit> {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-limits-'));
  const clock = () => kit.nowMs();
  const start = () => startTestService({ clock, settings, folder });
  const kit: LimitsKit = {
    service: NOT_STARTED,
    aheadMs: 0,
    nowMs: () => NOON_MS + kit.aheadMs,
    async apply(...limits) {
      const { status, text } = await ask(`${kit.service.url}/v1/policies?confirmLoosening=true`, {
        key: kit.service.ownerKey,
        method: 'PUT',
        json: { documents: [...BASE, ...limits] },
      });
      if (status !== 200) throw new Error(text);
    },
    check: (intent, init = {}) =>
      ask(`${kit.service.url}/v1/check-write`, { key: kit.service.liveKey, ...init, json: intent }),
    get: (path, key = kit.service.ownerKey) => ask(`${kit.service.url}${path}`, { key }),
    async restart() {
      await kit.service.stop();
      const { workspace, ownerKey, developmentKey, liveKey } = kit.service;
      kit.service = { ...(await start()), workspace, ownerKey, developmentKey, liveKey };
    },
    async runSql(text) {
      if (settings.databaseUrl !== undefined) {
        await onServer(settings.databaseUrl, (client) =>
          client.query(text.replace('limit_', 'writecheck.limit_')),
        );
        return;
      }
      const db = new Database(join(folder, 'writecheck.db'));
      db.exec(text);
      db.close();
    },
    async stop() {
      await kit.service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  kit.service = await start();
  return kit;
}

const NOT_STARTED = null as unknown as TestService;

/** How often each decision was made. */
export function tally(replies: readonly Reply[]): { readonly [decision: string]: number } {
  const counts: { [decision: string]: number } = {};
  for (const { body, status } of replies) {
    const decision = body?.decision ?? String(status);
    counts[decision] = (counts[decision] ?? 0) + 1;
  }
  return counts;
}
