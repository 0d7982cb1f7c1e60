/** The routes for freezes: create, lift, list and read. */
import { FREEZES, FREEZES_A_PAGE, type Freeze } from '@writecheck/api';
import { isoTime } from '@writecheck/contract';
import type { StoredFreeze } from '@writecheck/store/port/freezes';
import { idempotencyKey } from '../../check/idempotency.ts';
import { claimScope } from '../../exchange/actor.ts';
import { answer, implement } from '../../exchange/implement.ts';
import { BAD_CURSOR, isRefusal } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { allowsBefore } from './allows-before.ts';
import { createFreeze, NO_FREEZE, stopperOf } from './manage-freezes.ts';

const { liftFreeze, liftFreezes, listFreezes, readFreeze } = FREEZES;

export function freezeRoutes({ store, check }: ServiceParts): readonly Route[] {
  /** Freezes and lifts are entries of the log, whose time never runs backwards. */
  const timeOf = ({ context }: KeyedCall): number => check.clock.notBefore(context.nowMs);
  return [
    implement(FREEZES.createFreeze, async (call, wish) => {
      const { actor, request, body } = call;
      const claimed = idempotencyKey(request.header('idempotency-key'), 'freeze', body, claimScope(actor));
      if (claimed !== null && isRefusal(claimed)) return claimed;
      const frozen = await createFreeze(store, actor, wish, claimed, timeOf(call));
      if (frozen.kind === 'refused') return frozen;
      check.clock.saw(frozen.freeze.createdAtMs);
      const headers = frozen.isNew ? {} : { 'idempotency-replayed': 'true' };
      return answer(FREEZES.createFreeze, 201, { freeze: shownFreeze(frozen.freeze) }, headers);
    }),
    implement(liftFreeze, async (call, { reason }) => {
      const { actor, params } = call;
      const by = stopperOf(actor);
      const { workspace } = actor;
      const [freeze] = await store.lift({
        workspace,
        which: { id: params.id },
        by,
        reason,
        atMs: timeOf(call),
      });
      if (freeze === undefined) return NO_FREEZE;
      check.clock.saw(freeze.liftedAtMs!);
      return answer(liftFreeze, 200, { freeze: shownFreeze(freeze) });
    }),
    implement(liftFreezes, async (call, { createdBy, reason }) => {
      const by = stopperOf(call.actor);
      const { workspace } = call.actor;
      const lifted = await store.lift({ workspace, which: { createdBy }, by, reason, atMs: timeOf(call) });
      for (const { liftedAtMs } of lifted) check.clock.saw(liftedAtMs!);
      return answer(liftFreezes, 200, { freezes: lifted.map(shownFreeze) });
    }),
    implement(listFreezes, async ({ actor, query: { state = 'active', cursor } }) => {
      if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) return BAD_CURSOR;
      const before = cursor === undefined ? null : Number(cursor);
      const { workspace } = actor;
      // One more than the page shows, to tell whether there is another page.
      const limit = FREEZES_A_PAGE + 1;
      const found = await store.listFreezes({ workspace, activeOnly: state === 'active', before, limit });
      const freezes = found.slice(0, FREEZES_A_PAGE);
      const nextCursor = found.length > FREEZES_A_PAGE ? String(freezes.at(-1)!.number) : null;
      return answer(listFreezes, 200, { freezes: freezes.map(shownFreeze), nextCursor });
    }),
    implement(readFreeze, async ({ actor, params }) => {
      const freeze = await store.findFreeze(actor.workspace, params.id);
      if (freeze === null) return NO_FREEZE;
      return answer(readFreeze, 200, {
        freeze: shownFreeze(freeze),
        allowsBefore: await allowsBefore(store, freeze),
      });
    }),
  ];
}

function shownFreeze(freeze: StoredFreeze): Freeze {
  const { id, number, scope, reason, createdAtMs, createdBy, untilMs, liftedAtMs, liftedBy, liftReason } =
    freeze;
  return {
    id,
    number,
    scope,
    reason,
    createdAt: isoTime(createdAtMs),
    createdBy,
    until: untilMs === null ? null : isoTime(untilMs),
    liftedAt: liftedAtMs === null ? null : isoTime(liftedAtMs),
    liftedBy,
    liftReason,
  };
}
