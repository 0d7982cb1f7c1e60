/** Whether the process is alive, and whether it can answer checks right now. */

import { problemAnswer } from '../../problem-answer.ts';
import { clockRefusal, refuse } from '../../refusal.ts';
import { json } from '../answer.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';

const STATUS = { type: 'object', properties: { status: { const: 'ok' } }, required: ['status'] };
const RETRY_AFTER_MS = 1_000;
/** Anybody may call it, and every probe tries a write, so probes run only a few times a second. */
const LOOK_EVERY_MS = 250;
/** After a failed commit. Not for ever: without callers, nothing would show that commits succeed again. */
const UNREADY_AFTER_FAILURE_MS = 5_000;

export function healthRoutes({ store, audit, check, isServing }: ServiceParts): readonly Route[] {
  let look: { readonly atMs: number; readonly health: ReturnType<typeof store.health> } | null = null;
  const health = () => {
    const nowMs = performance.now();
    if (look === null || nowMs - look.atMs >= LOOK_EVERY_MS) look = { atMs: nowMs, health: store.health() };
    return look.health;
  };
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
        summary: 'the service can decide: the store accepts writes and the service is not draining',
        success: { 200: { description: 'ready', schema: STATUS } },
        errors: ['overloaded', 'store_unavailable', 'clock_behind', 'clock_ahead'],
      },
      handle: async ({ context }) => {
        if (!isServing()) {
          const refusal = refuse('overloaded', 'the service is shutting down');
          return problemAnswer(context, { ...refusal, retryAfterMs: RETRY_AFTER_MS });
        }
        const moment = check.clock.at(context.nowMs);
        if (moment.kind !== 'now')
          return problemAnswer(context, { ...clockRefusal(moment), retryAfterMs: RETRY_AFTER_MS });
        if (audit.notary.isForked) {
          const message = 'the log is not the one that was signed; stop the service and inspect its data';
          return problemAnswer(context, refuse('store_unavailable', message));
        }
        const isFailing = check.commits.isFailing(UNREADY_AFTER_FAILURE_MS);
        if (!isFailing && (await health()).kind === 'ok') return json(200, { status: 'ok' });
        const refusal = refuse('store_unavailable', 'the store cannot be written to at the moment');
        return problemAnswer(context, { ...refusal, retryAfterMs: RETRY_AFTER_MS });
      },
    },
  ];
}
