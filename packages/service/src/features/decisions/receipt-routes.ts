/** A decision's receipt, and its redemption by the write. */
import { DECIDED_WRITES } from '@writecheck/api';
import { readRecord } from '@writecheck/ledger/log';
import { type CheckingKeyKind, type StoredKey, StoreUnavailable } from '@writecheck/store/port';
import { GROUP_COMMIT_LIMITS } from '../../check/group-commit.ts';
import { idempotencyKey } from '../../check/idempotency.ts';
import type { KeyActor } from '../../exchange/actor.ts';
import { answer, implement } from '../../exchange/implement.ts';
import { readJson } from '../../exchange/read-json.ts';
import { clockRefusal, isRefusal } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { maySee, NO_SUCH_DECISION, noSuchDecision } from './no-such-decision.ts';
import { redeemDecision } from './redeem.ts';

const { readReceipt, redeemDecision: redemption } = DECIDED_WRITES;

/** Waits as long as a check waits for its commit. A retry with the same key gets a later outcome. */
function beforeDeadline<T>(working: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = new StoreUnavailable('timeout', 'the redemption was not recorded in time');
    const timer = setTimeout(() => reject(late), GROUP_COMMIT_LIMITS.deadlineMs);
    working.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export function receiptRoutes(parts: ServiceParts): readonly Route[] {
  const { store, audit, check } = parts;
  return [
    implement(readReceipt, async ({ actor, params }) => {
      const found = await store.findDecision(actor.workspace, params.id);
      if (found === null) return noSuchDecision(parts, actor, params.id);
      if (!maySee(actor, readRecord(found.record).keyId)) return NO_SUCH_DECISION;
      return answer(readReceipt, 200, await audit.notary.receiptFor(found));
    }),
    implement(
      redemption,
      async ({ context, actor, params, request, body }) => {
        // This comes first, so that another workspace's decision looks the same whatever the body says.
        const found = await store.findDecision(actor.workspace, params.id);
        if (found === null) return NO_SUCH_DECISION;
        const read = readJson(redemption.body, body);
        if (read.kind === 'refused') return read;
        // INVARIANT: the route is open to checking keys only; the gate before it ensures it.
        const key = (actor as KeyActor).key as StoredKey & { readonly kind: CheckingKeyKind };
        const claimed = idempotencyKey(request.header('idempotency-key'), 'redeem', body, key.lineage);
        if (claimed !== null && isRefusal(claimed)) return claimed;
        const moment = check.clock.at(context.nowMs);
        if (moment.kind !== 'now') return clockRefusal(moment);
        const { nowMs } = moment;
        const redeeming = redeemDecision(store, {
          key,
          found,
          intentDigest: read.value.intentDigest,
          idempotency: claimed,
          nowMs,
        });
        const redeemed = await beforeDeadline(redeeming);
        if (redeemed.kind === 'refused') return redeemed;
        check.clock.saw(redeemed.redeemedAtMs);
        return answer(
          redemption,
          200,
          { redeemed: true, redeemedAt: new Date(redeemed.redeemedAtMs).toISOString() },
          redeemed.isReplayed ? { 'idempotency-replayed': 'true' } : {},
        );
      },
      { readsBody: true },
    ),
  ];
}
