/** An HTTP endpoint that pays money back, and asks before it does. */
import type { Client, EvidenceItem, WriteIntent } from '@writecheck/client';
import express, { type Express, type Response } from 'express';
import { z } from 'zod';

export interface Backend {
  /** The identity of a clerk from single sign-on. */
  identityOf(clerk: string): EvidenceItem;
  approvalOf(orderId: string, amount: number): readonly EvidenceItem[];
  refund(orderId: string, amount: number): string;
}

const Refund = z.strictObject({ clerk: z.string(), orderId: z.string(), amount: z.number().positive() });

export function createApp(client: Client, backend: Backend): Express {
  const app = express();
  app.use(express.json());
  app.post('/refunds', async (request, response) => {
    const parsed = Refund.safeParse(request.body);
    if (!parsed.success) return void response.status(400).json({ error: z.prettifyError(parsed.error) });
    const { clerk, orderId, amount } = parsed.data;
    const intent: WriteIntent = {
      system: 'payments',
      operation: 'refund.create',
      objectType: 'order',
      objectRef: orderId,
      agentValue: String(amount),
      controlEvidence: [backend.identityOf(clerk), ...backend.approvalOf(orderId, amount)],
      metadata: { agent: clerk, context: { amount } },
    };
    const outcome = await client.guardWrite(intent, () => backend.refund(orderId, amount));
    if (outcome.executed) response.status(201).json({ refund: outcome.result });
    else answerStopped(response, outcome.decision);
  });
  return app;
}

type Stopped = Extract<Awaited<ReturnType<Client['guardWrite']>>, { executed: false }>['decision'];

function answerStopped(response: Response, decision: Stopped): void {
  const { reason, reason_code } = decision;
  if (decision.origin === 'client') {
    response.status(503).set('retry-after', '5').json({ state: 'not refunded', reason });
  } else if (decision.decision === 'pause') {
    // Neither done nor refused: a person finds it by its decision.
    response
      .status(202)
      .json({ state: 'waits for review', reason, reason_code, decision_id: decision.decision_id });
  } else {
    response.status(403).json({ state: 'refused', reason, reason_code, decision_id: decision.decision_id });
  }
}
