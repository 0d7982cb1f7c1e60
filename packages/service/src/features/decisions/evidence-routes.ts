/** Revokes an attestation: evidence that was good may stop being good. */
import { STATUS } from '@writecheck/api';
import { REVIEW_DESK } from '@writecheck/contract';
import { actingOf } from '../../exchange/actor.ts';
import { answer, implement } from '../../exchange/implement.ts';
import { refuseAt } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';

const CANCEL_INSTEAD = refuseAt(
  '/source',
  'to withdraw an approval, cancel its review: `POST /v1/reviews/{id}/cancel`',
);

export function evidenceRoutes({ store, check }: ServiceParts): readonly Route[] {
  return [
    implement(STATUS.revokeEvidence, async ({ context, actor }, { source, jti }) => {
      if (source === REVIEW_DESK) return CANCEL_INSTEAD;
      const nowMs = check.clock.notBefore(context.nowMs);
      const by = actingOf(actor);
      const revokedAtMs = await store.revokeAttestation(actor.workspace, { source, jti }, nowMs, by);
      return answer(STATUS.revokeEvidence, 201, {
        source,
        jti,
        revokedAt: new Date(revokedAtMs).toISOString(),
      });
    }),
  ];
}
