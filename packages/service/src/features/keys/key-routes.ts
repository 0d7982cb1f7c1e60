/** Manages the keys of a workspace. */
import { KEYS } from '@writecheck/api';
import { actingOf, personIdOf } from '../../exchange/actor.ts';
import { type AnswerTo, answer, implement } from '../../exchange/implement.ts';
import { type Refusal, refuse, refuseAt } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { findPerson, isRemoved } from '../people/commit-person.ts';
import type { KeyWish } from './make-key.ts';
import { createKey, faultsOfWish, type IssuedKey, revokeKey, rotateKey } from './manage-keys.ts';
import { shownKey } from './shown-key.ts';

export function keyRoutes({ store, config, people, authenticator, check }: ServiceParts): readonly Route[] {
  /** Changes of keys are entries of the log, whose time never runs backwards. */
  const changeBy = ({ context, actor }: KeyedCall) => {
    const nowMs = check.clock.notBefore(context.nowMs);
    return { store, plan: config.plan, workspace: actor.workspace, nowMs, by: actingOf(actor) };
  };
  return [
    implement(KEYS.createKey, async (call, { expiresAt: expiresAtMs, ...wanted }) => {
      const { actor } = call;
      const change = changeBy(call);
      const { heldBy } = wanted;
      const refusal = refuseWish({ ...wanted, expiresAtMs }, change.nowMs);
      if (refusal !== null) return refusal;
      if (heldBy !== undefined) {
        const holder = await findPerson(people, actor.workspace, heldBy);
        if (holder === null || isRemoved(holder)) return NO_HOLDER;
      }
      // The maker of a key is whoever holds the owner key that made it.
      const madeBy = actor.kind === 'owner_key' ? actor.key.heldBy : personIdOf(actor);
      return issued(await createKey(change, { ...wanted, expiresAtMs, madeBy }));
    }),
    implement(KEYS.listKeys, async ({ actor }) => {
      await authenticator.flushUses();
      const keys = await store.listKeys(actor.workspace);
      return answer(KEYS.listKeys, 200, { keys: keys.map(shownKey) });
    }),
    implement(KEYS.revokeKey, async (call) => {
      const outcome = await revokeKey(changeBy(call), call.params.id);
      if (outcome.kind === 'refused') return outcome;
      authenticator.forgetAll();
      return answer(KEYS.revokeKey, 204, null);
    }),
    implement(KEYS.rotateKey, async (call, { graceSeconds }) => {
      const outcome = await rotateKey(changeBy(call), call.params.id, graceSeconds);
      authenticator.forgetAll();
      return issued(outcome);
    }),
  ];
}

const NO_HOLDER = refuseAt('/heldBy', '`heldBy` must be the id of a person of this workspace');

function refuseWish(wish: KeyWish, nowMs: number): Refusal | null {
  const details = faultsOfWish(wish, nowMs).map(({ member, fault }) => ({
    pointer: `/${member}`,
    message: `\`${member}\` ${fault}`,
  }));
  return details.length === 0 ? null : refuse('invalid_request', details[0]!.message, details);
}

function issued(outcome: IssuedKey | Refusal): AnswerTo<typeof KEYS.createKey> | Refusal {
  if (outcome.kind === 'refused') return outcome;
  return answer(KEYS.createKey, 201, { key: shownKey(outcome.key), secret: outcome.secret });
}
