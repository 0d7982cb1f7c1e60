/** The agent: it proposes a payment. The content of the invoice comes from the reader. */
import type { Client, EvidenceItem } from '@writecheck/client';
import type { Erp } from './erp.ts';

export interface Payment {
  readonly invoice: string;
  readonly amount: number;
  /** Evidence that a dishonest agent adds by itself. */
  readonly evidence?: readonly EvidenceItem[];
}

export interface Paid {
  readonly executed: boolean;
  readonly said: string;
}

export async function pay(
  client: Client,
  erp: Erp,
  { invoice, amount, evidence = [] }: Payment,
): Promise<Paid> {
  const { executed, decision } = await client.guardWrite(
    {
      system: 'erp',
      objectType: 'invoice',
      objectRef: invoice,
      operation: 'invoice.pay',
      metadata: { agent: 'ap-bot', context: { amount } },
      controlEvidence: [...evidence],
    },
    () => erp.pay(invoice, amount),
  );
  return { executed, said: `${decision.decision}: ${decision.reason}` };
}
