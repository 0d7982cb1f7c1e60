/** Manages the keys of a workspace. */
import { KEYS } from '@writecheck/api';
import { type Answer, NO_CONTENT } from '../../answer.ts';
import { createKey, type IssuedKey, revokeKey, rotateKey } from '../../keys/manage-keys.ts';
import { shownKey } from '../../keys/shown-key.ts';
import { authorOf, personIdOf } from '../../people/actor.ts';
import { findPerson } from '../../people/commit-person.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import { answer, implement } from '../implement.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';

export function keyRoutes({ store, config, people, authenticator }: ServiceParts): readonly Route[] {
  return [
    implement(KEYS.createKey, async ({ context: { nowMs }, actor }, wish) => {
      const { heldBy, expiresAt: expiresAtMs } = wish;
      const refusal = refuseWish(wish, nowMs);
      if (refusal !== null) return refusal;
      if (heldBy !== undefined && (await findPerson(people, actor.workspace, heldBy)) === null)
        return NO_HOLDER;
      const made = { ...wish, expiresAtMs, madeBy: personIdOf(actor) };
      return issued(await createKey(store, config.plan, actor.workspace, made, nowMs));
    }),
    implement(KEYS.listKeys, async ({ actor }) => {
      await authenticator.flushUses();
      const keys = await store.listKeys(actor.workspace);
      return answer(KEYS.listKeys, { keys: keys.map(shownKey) });
    }),
    implement(KEYS.revokeKey, async ({ context: { nowMs }, actor, params }) => {
      const outcome = await revokeKey(store, actor.workspace, params.id!, nowMs, authorOf(actor));
      if (outcome.kind === 'refused') return outcome;
      authenticator.forgetAll();
      return NO_CONTENT;
    }),
    implement(KEYS.rotateKey, async ({ context: { nowMs }, actor, params }, { graceSeconds }) => {
      const { workspace } = actor;
      const by = personIdOf(actor);
      const outcome = await rotateKey(store, config.plan, workspace, params.id!, graceSeconds, nowMs, by);
      authenticator.forgetAll();
      return issued(outcome);
    }),
  ];
}

const NO_HOLDER_MESSAGE = '`heldBy` must be the id of a person of this workspace';
const NO_HOLDER = refuse('invalid_request', NO_HOLDER_MESSAGE, [
  { pointer: '/heldBy', message: NO_HOLDER_MESSAGE },
]);

function refuseWish(
  wish: {
    readonly kind: string;
    readonly expiresAt: number | undefined;
    readonly allowedSystems: readonly string[] | undefined;
    readonly allowedWorkflows: readonly string[] | undefined;
  },
  nowMs: number,
): Refusal | null {
  const details = [];
  if (wish.expiresAt !== undefined && wish.expiresAt <= nowMs) {
    details.push({ pointer: '/expiresAt', message: '`expiresAt` must be in the future' });
  }
  for (const member of ['allowedSystems', 'allowedWorkflows'] as const) {
    if (wish.kind !== 'owner' || wish[member] === undefined) continue;
    details.push({
      pointer: `/${member}`,
      message: `\`${member}\` is for keys that send checks, not for owner keys`,
    });
  }
  return details.length === 0 ? null : refuse('invalid_request', details[0]!.message, details);
}

function issued(outcome: IssuedKey | Refusal): Answer | Refusal {
  if (outcome.kind === 'refused') return outcome;
  return answer(KEYS.createKey, { key: shownKey(outcome.key), secret: outcome.secret });
}
