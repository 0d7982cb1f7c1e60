/** Self-serve sign-up, which creates a workspace and its first keys without an operator; and what a workspace has used. */
import { type OwnKey, USAGE, WORKSPACES } from '@writecheck/api';
import { calendarMonth, isoTime } from '@writecheck/contract';
import type { Owner } from '@writecheck/store/port';
import type { Acting } from '@writecheck/store/port/acting';
import { type Actor, actingOf } from '../../exchange/actor.ts';
import { answer, implement } from '../../exchange/implement.ts';
import { isKnownHost } from '../../exchange/known-host.ts';
import { type Refusal, refuse, refuseFor } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { limitSubject } from '../../support/client-address.ts';
import type { RateTaken, WindowLimit } from '../../support/window-limit.ts';
import { DEVELOPMENT_CHECKS_A_MONTH } from './allowance.ts';
import { createWorkspace } from './create-workspace.ts';
import { shownKey, shownToItself } from './shown-key.ts';

const OTHER_PAGE =
  'sign-up is closed to pages under a host name that this service is not configured for; set `WRITECHECK_PUBLIC_URL`';

export function workspaceRoutes({ config, store, signups, check }: ServiceParts): readonly Route[] {
  return [
    implement(
      WORKSPACES.createWorkspace,
      async ({ context, request, address }, wish) => {
        // Only browsers send an origin. A page of another site must not create workspaces through a visitor's browser.
        if (request.header('origin') !== undefined && !isKnownHost(request.header('host'), config))
          return refuse('signup_closed', OTHER_PAGE);
        const tooMany = refuseMore(signups, signups.take(limitSubject(address()), context.nowMs));
        if (tooMany !== null) return tooMany;
        const { workspace, ownerKey, developmentKey } = await createWorkspace(
          store,
          wish.name,
          context.nowMs,
          true,
        );
        const { id, name } = workspace;
        return answer(WORKSPACES.createWorkspace, 201, { workspace: { id, name }, ownerKey, developmentKey });
      },
      {
        admit: ({ context, address }) => {
          if (config.signup === 'closed') {
            return refuse('signup_closed', 'sign-up is closed here; ask the operator for a workspace');
          }
          return refuseMore(signups, signups.peek(limitSubject(address()), context.nowMs));
        },
      },
    ),
    implement(WORKSPACES.readWorkspace, async ({ actor }) => {
      const found = await store.findWorkspace(actor.workspace);
      const workspace = { id: actor.workspace, name: found?.name ?? '' };
      // A checking key never learns who exists.
      if (actor.kind === 'checking_key')
        return answer(WORKSPACES.readWorkspace, 200, { workspace, key: keyOf(actor) });
      const renames = (await store.listRenames(actor.workspace)).map(({ name, atMs, by }) => ({
        name,
        at: isoTime(atMs),
        by,
      }));
      return answer(WORKSPACES.readWorkspace, 200, { workspace, key: keyOf(actor), renames });
    }),
    implement(WORKSPACES.renameWorkspace, async ({ actor, context }, { name }) => {
      const { workspace: id } = actor;
      // The time of the log never runs backwards.
      const nowMs = check.clock.notBefore(context.nowMs);
      // The roles let only people and owner keys here.
      const by = actingOf(actor) as Acting & Owner;
      if (!(await store.renameWorkspace(id, name, by, nowMs))) throw new Error('its author has a workspace');
      return answer(WORKSPACES.renameWorkspace, 200, { workspace: { id, name } });
    }),
    implement(USAGE.readUsage, async ({ context, actor }) => {
      const { period, endsAtMs } = calendarMonth(context.nowMs);
      const { development, live } = await store.usage(actor.workspace, period);
      return answer(USAGE.readUsage, 200, {
        period,
        used: development,
        limit: DEVELOPMENT_CHECKS_A_MONTH,
        remaining: Math.max(0, DEVELOPMENT_CHECKS_A_MONTH - development),
        resetsAt: new Date(endsAtMs).toISOString(),
        live: { used: live, limit: null },
      });
    }),
    implement(USAGE.readDailyUsage, async ({ context, actor, query }) => {
      const period = query.period ?? calendarMonth(context.nowMs).period;
      return answer(USAGE.readDailyUsage, 200, {
        period,
        days: await store.usageByDay(actor.workspace, period),
      });
    }),
  ];
}

function keyOf(actor: Actor): OwnKey | null {
  if (actor.kind === 'person') return null;
  return actor.kind === 'checking_key' ? shownToItself(actor.key) : shownKey(actor.key);
}

function refuseMore(signups: WindowLimit, taken: RateTaken): Refusal | null {
  if (taken.admitted) return null;
  const message = `an address may create ${signups.limit} workspaces an hour`;
  return refuseFor(taken.resetsInMs, 'rate_limited', message);
}
