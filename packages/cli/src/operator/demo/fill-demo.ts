/** Fills an empty store with the demo week, through a service of its own whose clock runs through that week. */
import { DAY_MS } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import {
  type CreatedWorkspace,
  createFirstWorkspace,
} from '@writecheck/service/features/keys/create-workspace';
import { hasStore, startService } from '@writecheck/service/runtime/open-store';
import { openStoreFor } from '@writecheck/service/runtime/threads/start-failure';
import type { Config } from '@writecheck/service/support/config/settings';
import { createLog } from '@writecheck/service/support/observability/log';
import type { Visitor } from './ask-again.ts';
import { joinedReviewers } from './demo-reviewers.ts';
import { playWeek } from './play-week.ts';
import { sendTo } from './send.ts';
import { WEEK } from './week.ts';

const NAME = 'Acme (demo)';
const WEEK_MS = 8 * DAY_MS;

export interface Demo extends CreatedWorkspace, Visitor {
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

/** Passkeys need a name: an IP address cannot have one. */
export function urlOf({ publicUrl, port }: Config): string {
  return publicUrl ?? `http://localhost:${port}`;
}

/** `share` is the part of the week's ordinary writes to play. */
export async function fillDemo(config: Config, share = 1): Promise<Demo> {
  const endMs = Date.now();
  const clock = { nowMs: endMs - WEEK_MS };
  // Passkeys belong to the page of the service that is served afterwards.
  const publicUrl = urlOf(config);
  const log = createLog('error');
  const store = await openStoreFor(config);
  const service = await startService({
    config: { ...config, publicUrl, host: '127.0.0.1', port: 0, metricsPort: null, ratePerKey: null },
    store,
    log,
    clock: () => clock.nowMs,
  });
  try {
    const made = await createFirstWorkspace(store, NAME, clock.nowMs);
    if (made === null) throw new CommandFailure('the demo does not start: its store is no longer empty');
    const send = sendTo(service.url);
    const { ownerKey, workspace } = made;
    const waiting = await playWeek({
      send,
      ownerKey,
      clock,
      endMs,
      reviewersJoin: () => joinedReviewers(send, ownerKey, workspace.id, new URL(publicUrl).origin),
      share,
    });
    const { person, invitation } = await send('POST /v1/people', ownerKey, WEEK.visitor);
    return { ...made, invitationToken: new URL(invitation!.url).hash, visitorId: person!.id, waiting };
  } finally {
    await service.stop({ idleGraceMs: 0 });
  }
}
