/** Reports what a write would need, without recording, charging or using up anything. */
import { STATUS } from '@writecheck/api/status';
import { BODY_BYTES_MAX, parseIntent } from '@writecheck/contract';
import { requirementsOf } from '@writecheck/engine';
import type { CheckParts } from '../../check/check-write.ts';
import { readCounters } from '../../check/counters.ts';
import { KnownDraws } from '../../check/known-draws.ts';
import { digestOf } from '../../check/parse-request.ts';
import { inTurn } from '../../check/turns.ts';
import { verifiedFacts } from '../../check/verified-facts.ts';
import { type AnswerTo, answer, implement } from '../../exchange/implement.ts';
import { type ProblemAnswer, problemAnswer } from '../../exchange/problem-answer.ts';
import { isRefusal, refuse } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { KnownFreezes } from '../freezes/freeze-book.ts';
import { keysBehind } from '../keys/key-lineage.ts';
import { outOfScope } from '../keys/scope.ts';
import { findApprovals } from '../reviews/look-up-facts.ts';

/** An owner key and a person get what a live key would get. */
function reportRequirements(
  parts: CheckParts,
  call: KeyedCall,
): Promise<AnswerTo<typeof STATUS.readRequirements> | ProblemAnswer> {
  return inTurn(parts, call, async (context, decide) => {
    const parsed = parseIntent(call.body);
    if (parsed.kind === 'refused')
      return problemAnswer(context, refuse(parsed.code, parsed.message, parsed.details));
    const { intent } = parsed;
    const { actor } = call;
    const { workspace } = actor;
    const checkingKey = actor.kind === 'checking_key' ? actor.key : null;
    const beyond = checkingKey === null ? null : outOfScope(checkingKey, intent);
    if (beyond !== null) return problemAnswer(context, beyond);
    const snapshot = await parts.policies.snapshotOf(workspace);
    const asker = {
      workspace,
      kind: checkingKey?.kind === 'development' ? checkingKey.kind : ('live' as const),
    };
    const check = { intent, digest: digestOf(intent) };
    const approvals = await findApprovals(parts.store, workspace, checkingKey, intent);
    const facts = await verifiedFacts(parts.store, check, asker, snapshot, approvals, context.nowMs);
    // Read from the store, because no commit compares what is only reported.
    const known = new KnownFreezes(await parts.store.activeFreezes(workspace));
    const keyIds = checkingKey === null ? null : await keysBehind(parts.store, checkingKey);
    const freezes = known.matching(intent, keyIds);
    const counted = { ...asker, lineage: checkingKey?.lineage ?? null };
    const counters =
      snapshot.limits.length === 0
        ? null
        : await readCounters(
            new KnownDraws(parts.store),
            { intent, key: counted, context },
            { facts, snapshot },
            false,
          );
    const requirements = await decide(() =>
      requirementsOf(intent, facts, snapshot, context.nowMs, {
        freezes,
        readings: counters?.readings ?? [],
        ...(checkingKey !== null && { firstKeyId: checkingKey.lineage }),
      }),
    );
    if (isRefusal(requirements)) return problemAnswer(context, requirements);
    return answer(STATUS.readRequirements, 200, requirements);
  });
}

export function requirementRoutes({ check }: ServiceParts): readonly Route[] {
  return [
    implement(STATUS.readRequirements, (call) => reportRequirements(check, call), {
      limitBytes: BODY_BYTES_MAX,
    }),
  ];
}
