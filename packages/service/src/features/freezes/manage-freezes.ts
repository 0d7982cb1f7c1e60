/** Creates freezes for people and owner keys, and lifts those whose time is up. */
import type { FreezeScope } from '@writecheck/contract';
import type { Store } from '@writecheck/store/port';
import type { Acting } from '@writecheck/store/port/acting';
import type { FreezeAuthor, FreezeOutcome } from '@writecheck/store/port/freezes';
import { type IdempotencyKey, KEPT_MS, KEY_REUSED } from '../../check/idempotency.ts';
import { type Actor, actingOf } from '../../exchange/actor.ts';
import { type Refusal, refuse, refuseAt } from '../../exchange/refusal.ts';
import { newId } from '../../support/ids/new-id.ts';
import { isOwner } from '../people/refuse-actor.ts';
import { OTHERS_MS_MAX, untilFault } from './freeze-until.ts';

const OWNERS_MAX = 100;
const PERSON_MAX = 5;
/** The reason of a lift that comes from `until`, by the database's clock. */
const UNTIL = 'until';

interface FreezeWish {
  readonly reason: string;
  readonly scope: FreezeScope | undefined;
  /** Epoch milliseconds. */
  readonly until: number | undefined;
}

type Frozen = Extract<FreezeOutcome, { kind: 'frozen' }> | Refusal;

export const NO_FREEZE: Refusal = refuse(
  'not_found',
  'there is no such freeze in this workspace; `GET /v1/freezes` lists them',
);

export async function createFreeze(
  store: Store,
  actor: Actor,
  { reason, scope = {}, until }: FreezeWish,
  idempotency: IdempotencyKey | null,
  atMs: number,
): Promise<Frozen> {
  const isOwners = isOwner(actor);
  const fault = until === undefined ? null : untilFault(until, atMs, isOwners);
  if (fault !== null) return refuseAt('/until', `\`until\` ${fault}`);
  const outcome = await store.freeze({
    workspace: actor.workspace,
    id: newId('frz_', atMs),
    scope,
    reason,
    untilMs: until ?? (isOwners ? null : atMs + OTHERS_MS_MAX),
    atMs,
    by: stopperOf(actor),
    places: isOwners ? { of: 'owners', most: OWNERS_MAX } : { of: 'person', most: PERSON_MAX },
    idempotency: idempotency === null ? null : { ...idempotency, keptMs: KEPT_MS },
  });
  switch (outcome.kind) {
    case 'frozen':
      return outcome;
    case 'key_reused':
      return KEY_REUSED;
    case 'key_expired':
      return LIFTED_SINCE;
    case 'too_many': {
      const message = isOwners
        ? `the owners already have ${OWNERS_MAX} active freezes; lift one first, also for a wider one, or let the operator run \`writecheck freeze\`, which has no limit`
        : `you already have ${PERSON_MAX} active freezes; ask an owner to lift one of them, or to make this one`;
      return refuse('plan_limit', message);
    }
    case 'unknown_key':
      return NO_KEY;
    case 'no_such_workspace':
      return refuse('not_found', 'there is no such workspace');
  }
}

const LIFTED_SINCE = refuse(
  'idempotency_key_expired',
  'the freeze made under this `Idempotency-Key` is lifted; to freeze again, use a new one',
);
const NO_KEY = refuseAt('/scope/keyId', '`keyId` names a key that this workspace does not have');

/** INVARIANT: the roles let only people and owner keys here. */
export function stopperOf(actor: Actor): Acting & FreezeAuthor {
  return actingOf(actor) as Acting & FreezeAuthor;
}

/** Writes the end of every freeze whose time is up into the log; only one of several processes does. */
export async function liftOverdue(store: Store, atMs: number): Promise<void> {
  for (const workspace of await store.overdueFreezes())
    await store.lift({ workspace, which: 'overdue', by: null, reason: UNTIL, atMs });
}
