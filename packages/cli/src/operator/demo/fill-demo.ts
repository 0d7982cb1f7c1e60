/** Fills an empty store with the demo week, through a service of its own whose clock runs through that week. */
import { DAY_MS } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import { createFirstWorkspace, type NewWorkspace } from '@writecheck/service/features/keys/create-workspace';
import { hasStore, startService } from '@writecheck/service/runtime/open-store';
import { openStoreFor } from '@writecheck/service/runtime/threads/start-failure';
import type { Config } from '@writecheck/service/support/config/settings';
import { createLog } from '@writecheck/service/support/observability/log';
import { liveDemoWeek, type Reply } from './demo-week.ts';

const NAME = 'Acme (demo)';
const WEEK_MS = 8 * DAY_MS;
const DANA = { name: 'Dana', email: 'dana@example.com', roles: ['owner', 'reviewer'], groups: ['finance'] };

export interface Demo extends NewWorkspace {
  /** The token of the person who joins with a passkey. */
  readonly invitationToken: string;
}

/** INVARIANT: nothing is written to a store that exists, whatever it holds. */
export async function refuseUnlessNew(config: Config): Promise<void> {
  const refuse = (why: string) => {
    throw new CommandFailure(`the demo does not start: ${why}`);
  };
  if (config.databaseUrl !== null)
    refuse('it fills a SQLite store of its own; unset WRITECHECK_DATABASE_URL, or leave out --database-url');
  if (config.policies !== null)
    refuse('it brings its own policies; unset WRITECHECK_POLICIES, or leave out --policies');
  if (config.plan === 'hosted') refuse('its agents need live keys, which the hosted plan has to grant');
  if (await hasStore(config))
    refuse(
      `\`${config.data}\` holds a store already, and a demo never mixes with other data; name an empty folder`,
    );
}

export async function fillDemo(config: Config, writesAWorkday?: number): Promise<Demo> {
  const endMs = Date.now();
  const clock = { nowMs: endMs - WEEK_MS };
  const log = createLog('error');
  const store = await openStoreFor(config, log);
  const service = await startService({
    config: { ...config, host: '127.0.0.1', port: 0, metricsPort: null, ratePerKey: null, archive: null },
    store,
    log,
    clock: () => clock.nowMs,
  });
  try {
    const made = await createFirstWorkspace(store, NAME, clock.nowMs);
    if (made === null) throw new CommandFailure('the demo does not start: its store is no longer empty');
    const send = async (path: string, body: object, key: string, method = 'POST') => {
      const response = await fetch(`${service.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`the demo failed at ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as Reply & { readonly invitation?: { readonly url: string } };
    };
    await liveDemoWeek(send, made.ownerKey, clock, endMs, writesAWorkday);
    const { invitation } = await send('/v1/people', DANA, made.ownerKey);
    return { ...made, invitationToken: new URL(invitation!.url).hash };
  } finally {
    await service.stop({ idleGraceMs: 0 });
  }
}
