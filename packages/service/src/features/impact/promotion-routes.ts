/** Promotions: an observing profile is assessed, and enforces from then on if it has earned that. */
import { IMPACT } from '@writecheck/api';
import { given } from '@writecheck/contract';
import { authorOf } from '../../exchange/actor.ts';
import { answer, answerText, implement } from '../../exchange/implement.ts';
import { type Refusal, refuse, refuseAt } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { isOwner } from '../people/refuse-actor.ts';
import { readIfMatch } from '../policies/policy-routes.ts';
import { promote } from './promote.ts';
import { DEFAULT_THRESHOLDS } from './thresholds.ts';

export function promotionRoutes({ impact, store, check }: ServiceParts): readonly Route[] {
  return [
    implement(IMPACT.promoteProfile, async ({ context, request, actor }, asked) => {
      const { profile, apply = false, force = false, confirmLoosening = false, ...thresholds } = asked;
      const ifMatch = readIfMatch(request);
      const refusal = refuseForce(apply, force) ?? (typeof ifMatch === 'object' ? ifMatch : null);
      if (refusal !== null) return refusal;
      let stopListening = (): void => undefined;
      const outcome = await promote(impact, {
        workspace: actor.workspace,
        by: authorOf(actor),
        profile,
        thresholds: { ...DEFAULT_THRESHOLDS, ...given(thresholds) },
        apply,
        force,
        isLooseningConfirmed: confirmLoosening,
        mayLoosen: isOwner(actor),
        ifMatch: ifMatch as string | null,
        nowMs: check.clock.notBefore(context.nowMs),
        whenGone: (leave) => {
          stopListening = request.whenGone(leave);
        },
      }).finally(() => stopListening());
      if (outcome.kind === 'refused') return outcome;
      const { assessment, documents, applied } = outcome;
      return answer(IMPACT.promoteProfile, 200, {
        assessment,
        documents,
        ifMatch: outcome.ifMatch,
        ...(applied === null ? {} : { applied: { revision: applied.revision, digest: applied.digest } }),
      });
    }),
    implement(IMPACT.readAssessment, async ({ actor, params }) => {
      const found = await store.findAssessment(actor.workspace, params.id);
      return found === null
        ? refuse('not_found', 'there is no such assessment in this workspace')
        : answerText(IMPACT.readAssessment, 200, `{"assessment":${found}}`);
    }),
  ];
}

function refuseForce(apply: boolean, force: boolean): Refusal | null {
  return apply || !force ? null : refuseAt('/force', '`force` needs `apply`: without it nothing is applied');
}
