/** Clerks, approvals and payments in memory, in place of a company's systems. */
import type { EvidenceItem } from '@writecheck/client';
import type { Backend } from './app.ts';

export interface ExampleBackend extends Backend {
  approve(orderId: string, amount: number): void;
  readonly paid: readonly string[];
}

export function exampleBackend(): ExampleBackend {
  const paid: string[] = [];
  const approvals = new Map<string, EvidenceItem>();
  const suspended = new Set(['mallory']);
  const item = (controlId: string, source: string, result: string): EvidenceItem => ({
    controlId,
    source,
    result,
    checkedAt: new Date().toISOString(),
  });
  return {
    paid,
    identityOf: (clerk) => item('identity', 'sso', suspended.has(clerk) ? 'FAIL' : 'PASS'),
    // An approval is for one order and one amount, so it cannot serve a larger one.
    approvalOf: (orderId, amount) => [approvals.get(`${orderId}/${amount}`) ?? []].flat(),
    approve: (orderId, amount) => {
      approvals.set(`${orderId}/${amount}`, item('approval', 'service-desk', 'PASS'));
    },
    refund: (orderId, amount) => {
      paid.push(`${orderId}/${amount}`);
      return `r-${paid.length}`;
    },
  };
}
