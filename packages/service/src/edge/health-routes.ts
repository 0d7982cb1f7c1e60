/** Whether the process is alive, and whether it can answer checks right now. */
import { STATUS } from '@writecheck/api/status';
import { answer, implement } from '../exchange/implement.ts';
import type { Route } from '../exchange/route.ts';
import type { ServiceParts } from '../parts/service-parts.ts';

export function healthRoutes({ readiness }: ServiceParts): readonly Route[] {
  return [
    implement(STATUS.health, async () => answer(STATUS.health, { status: 'ok' })),
    implement(STATUS.readiness, async ({ context }) => {
      const found = await readiness(context.nowMs);
      return found.kind === 'ready' ? answer(STATUS.readiness, { status: 'ok' }) : found.refusal;
    }),
  ];
}
