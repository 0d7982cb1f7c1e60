/** The gateway over HTTP: `POST /writes` with `{intent, receipt}`. */
import express, { type Express } from 'express';
import { execute, type GatewaySettings, type Refusal } from './gateway.ts';

export function createApp(settings: GatewaySettings): Express {
  const app = express();
  app.use(express.json({ limit: '256kb' }));
  app.post('/writes', async (request, response) => {
    const { intent, receipt } = (request.body ?? {}) as Record<string, unknown>;
    const execution = await execute(settings, { intent, receipt });
    if (execution.kind === 'executed') return void response.status(200).json({ ...execution });
    const { reason, message } = execution;
    response.status(statusOf(reason)).json({ kind: 'refused', reason, message });
  });
  return app;
}

function statusOf(reason: Refusal): number {
  switch (reason) {
    case 'not_a_write':
    case 'malformed_intent':
    case 'malformed_receipt':
      return 400;
    case 'no_such_object':
      return 404;
    case 'already_executed':
    case 'already_redeemed':
      return 409;
    case 'redeem_failed':
    case 'database_failed':
      return 503;
    default:
      return 403;
  }
}
