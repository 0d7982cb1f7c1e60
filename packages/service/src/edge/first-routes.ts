/** The routes that a service starts with: checks, liveness and readiness. */
import { CHECKS } from '@writecheck/api/decisions';
import { STATUS } from '@writecheck/api/status';
import { BODY_BYTES_MAX } from '@writecheck/contract';
import { checkWrite } from '../check/check-write.ts';
import { readWrite } from '../check/parse-request.ts';
import { answer, implement, routeOf } from '../exchange/implement.ts';
import type { Route } from '../exchange/route.ts';
import type { ServiceParts } from '../parts/service-parts.ts';

export function firstRoutes({ check, readiness }: ServiceParts): readonly Route[] {
  const handle = checkWrite(check, { family: 'check', read: readWrite });
  return [
    routeOf(CHECKS.checkWrite, handle, { limitBytes: BODY_BYTES_MAX }),
    routeOf(CHECKS.checkWriteOnOlderPath, handle, { limitBytes: BODY_BYTES_MAX }),
    implement(STATUS.health, async () => answer(STATUS.health, 200, { status: 'ok' })),
    implement(STATUS.readiness, async ({ context }) => {
      const state = await readiness(context.nowMs);
      return state.kind === 'ready' ? answer(STATUS.readiness, 200, { status: 'ok' }) : state.refusal;
    }),
  ];
}
