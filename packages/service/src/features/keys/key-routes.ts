/** Manages the keys of a workspace. */
import { KEYS } from '@writecheck/api';
import { SERVICE_ROLES } from '@writecheck/contract';
import { actingOf, personIdOf } from '../../exchange/actor.ts';
import { type AnswerTo, answer, implement } from '../../exchange/implement.ts';
import { type Refusal, refuse, refuseAt } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { findPerson } from '../people/commit-person.ts';
import { createKey, type IssuedKey, revokeKey, rotateKey } from './manage-keys.ts';
import { shownKey } from './shown-key.ts';

export function keyRoutes({ store, config, people, authenticator, check }: ServiceParts): readonly Route[] {
  /** Changes of keys are entries of the log, whose time never runs backwards. */
  const timeOf = ({ context }: KeyedCall): number => check.clock.notBefore(context.nowMs);
  return [
    implement(KEYS.createKey, async (call, wish) => {
      const { actor } = call;
      const nowMs = timeOf(call);
      const { heldBy, expiresAt: expiresAtMs } = wish;
      const refusal = refuseWish(wish, nowMs);
      if (refusal !== null) return refusal;
      if (heldBy !== undefined && (await findPerson(people, actor.workspace, heldBy)) === null)
        return NO_HOLDER;
      // The maker of a key is whoever holds the owner key that made it.
      const madeBy = actor.kind === 'owner_key' ? actor.key.heldBy : personIdOf(actor);
      const made = { ...wish, expiresAtMs, madeBy };
      return issued(await createKey(store, config.plan, actor.workspace, made, nowMs, actingOf(actor)));
    }),
    implement(KEYS.listKeys, async ({ actor }) => {
      await authenticator.flushUses();
      const keys = await store.listKeys(actor.workspace);
      return answer(KEYS.listKeys, 200, { keys: keys.map(shownKey) });
    }),
    implement(KEYS.revokeKey, async (call) => {
      const { actor, params } = call;
      const outcome = await revokeKey(store, actor.workspace, params.id, timeOf(call), actingOf(actor));
      if (outcome.kind === 'refused') return outcome;
      authenticator.forgetAll();
      return answer(KEYS.revokeKey, 204, null);
    }),
    implement(KEYS.rotateKey, async (call, { graceSeconds }) => {
      const { actor, params } = call;
      const outcome = await rotateKey(
        store,
        config.plan,
        actor.workspace,
        params.id,
        graceSeconds,
        timeOf(call),
        actingOf(actor),
      );
      authenticator.forgetAll();
      return issued(outcome);
    }),
  ];
}

const NO_HOLDER = refuseAt('/heldBy', '`heldBy` must be the id of a person of this workspace');

function refuseWish(
  wish: {
    readonly kind: string;
    readonly expiresAt: number | undefined;
    readonly allowedSystems: readonly string[] | undefined;
    readonly allowedWorkflows: readonly string[] | undefined;
    readonly roles: readonly string[] | undefined;
  },
  nowMs: number,
): Refusal | null {
  const details = [];
  if (wish.expiresAt !== undefined && wish.expiresAt <= nowMs) {
    details.push({ pointer: '/expiresAt', message: '`expiresAt` must be in the future' });
  }
  for (const member of ['allowedSystems', 'allowedWorkflows'] as const) {
    if (wish[member] === undefined || wish.kind === 'development' || wish.kind === 'live') continue;
    const message = `\`${member}\` is for keys that send checks, not for ${wish.kind} keys`;
    details.push({ pointer: `/${member}`, message });
  }
  if ((wish.kind === 'service') !== (wish.roles !== undefined)) {
    const message =
      wish.kind === 'service'
        ? `a service key needs \`roles\`: one or more of ${SERVICE_ROLES.join(', ')}`
        : '`roles` is for service keys';
    details.push({ pointer: '/roles', message });
  }
  return details.length === 0 ? null : refuse('invalid_request', details[0]!.message, details);
}

function issued(outcome: IssuedKey | Refusal): AnswerTo<typeof KEYS.createKey> | Refusal {
  if (outcome.kind === 'refused') return outcome;
  return answer(KEYS.createKey, 201, { key: shownKey(outcome.key), secret: outcome.secret });
}
