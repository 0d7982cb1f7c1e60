/** The receipts that come with a response, from the signed log. */
import { readRecord } from '@writecheck/ledger/log';
import type { Decisions } from '@writecheck/store/port';
import type { Receipts } from '../../check/receipts.ts';
import type { Audit } from './open-audit.ts';

export function receiptsOf(store: Pick<Decisions, 'findDecision'>, { notary }: Audit): Receipts {
  return {
    textOf: (committed) => notary.receiptTextOf(committed),
    async again({ workspace, keyId }, decisionId) {
      const found = await store.findDecision(workspace, decisionId);
      // INVARIANT: a caller that may not read the receipt does not get it with a replayed response either.
      if (found === null || readRecord(found.record).keyId !== keyId) return null;
      return notary.receiptFor(found);
    },
  };
}
