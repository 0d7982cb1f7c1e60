/** Whether the process lives, and whether it can answer checks right now. */
import { refuse } from '../../keys/refusal.ts';
import { json } from '../answer.ts';
import { problem } from '../problem.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';

const STATUS = { type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] };
const RETRY_AFTER_MS = 1_000;

export function healthRoutes({ store, isServing }: ServiceParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      access: 'open',
      described: {
        operationId: 'health',
        summary: 'the process lives',
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
        summary: 'checks can be answered: the store takes writes and the service is not draining',
        success: { 200: { description: 'ready', schema: STATUS } },
        errors: ['overloaded', 'store_unavailable'],
      },
      handle: async ({ context }) => {
        if (!isServing()) {
          const refusal = refuse('overloaded', 'the service is shutting down');
          return problem(context, { ...refusal, retryAfterMs: RETRY_AFTER_MS });
        }
        const health = await store.health();
        if (health.kind === 'ok') return json(200, { status: 'ok' });
        const refusal = refuse('store_unavailable', 'the store cannot be written to at the moment');
        return problem(context, { ...refusal, retryAfterMs: RETRY_AFTER_MS });
      },
    },
  ];
}
