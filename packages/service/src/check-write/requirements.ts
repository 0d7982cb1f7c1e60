/** Reports what a write would need, without recording, charging or using up anything. */
import { parseIntent } from '@writecheck/contract';
import { requirementsOf } from '@writecheck/engine';
import { outOfScope } from '../keys/scope.ts';
import { type Actor, scopeOf } from '../people/actor.ts';
import { problemAnswer } from '../problem-answer.ts';
import { refuse } from '../refusal.ts';
import { findApprovals } from '../reviews/look-up-facts.ts';
import { type CheckAnswer, decisionAnswer, NO_HEADERS } from './answer.ts';
import type { CheckParts } from './check-write.ts';
import { digestOf } from './decide-check.ts';
import { inTurn, type TurnCall } from './in-turn.ts';
import { NO_FACTS, verifiedFacts } from './verified-facts.ts';

type RequirementsCall = TurnCall & { readonly actor: Actor };

/** For an owner key or a person, as if a live key had asked. */
export function tellRequirements(parts: CheckParts, call: RequirementsCall): Promise<CheckAnswer> {
  return inTurn(parts, call, async (identity) => {
    const parsed = parseIntent(call.body);
    if (parsed.kind === 'refused')
      return problemAnswer(identity, refuse(parsed.code, parsed.message, parsed.details));
    const { intent } = parsed;
    const { actor } = call;
    const key = scopeOf(actor);
    const beyond = outOfScope(key, intent);
    if (beyond !== null) return problemAnswer(identity, beyond);
    const snapshot = await parts.snapshotOf(key.workspace);
    const asker = {
      workspace: key.workspace,
      kind: key.kind === 'owner' ? ('live' as const) : key.kind,
    };
    const check = { intent, digest: digestOf(intent) };
    const own = actor.kind === 'checking_key' ? actor.key : null;
    const approvals = await findApprovals(parts.store, key.workspace, own, [check]);
    const facts =
      (await verifiedFacts(parts.store, check, asker, snapshot, approvals, identity.nowMs)) ?? NO_FACTS;
    const requirements = requirementsOf(intent, facts, snapshot, identity.nowMs);
    return decisionAnswer(JSON.stringify(requirements), NO_HEADERS);
  });
}
