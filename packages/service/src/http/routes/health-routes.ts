/** Whether the process is alive, and whether it can answer checks right now. */

import { json } from '../../answer.ts';
import { problemAnswer } from '../../problem-answer.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';

const STATUS = { type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] };

export function healthRoutes({ readiness }: ServiceParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      access: 'open',
      described: {
        operationId: 'health',
        summary: 'the process is running',
        success: { 200: { description: 'alive', schema: STATUS } },
        errors: [],
      },
      handle: () => json(200, { status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      access: 'open',
      described: {
        operationId: 'readiness',
        summary: 'the service can decide: the store accepts writes and the service is not draining',
        success: { 200: { description: 'ready', schema: STATUS } },
        errors: ['overloaded', 'store_unavailable', 'clock_behind', 'clock_ahead'],
      },
      handle: async ({ context }) => {
        const found = await readiness(context.nowMs);
        return found.kind === 'ready' ? json(200, { status: 'ok' }) : problemAnswer(context, found.refusal);
      },
    },
  ];
}
