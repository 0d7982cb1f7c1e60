/** Fills a store with many decisions and reviews, many in one commit; over HTTP it would take minutes. */
import { intentDigest } from '@writecheck/contract';
import { openedEntry } from '@writecheck/service/features/reviews/entries';
import { type Review, reviewOf, rowOf } from '@writecheck/service/features/reviews/review';
import { StoreUnavailable } from '@writecheck/store/port';
import { commitTo, idOf, newRequest } from '../../store/test/store-contract/store-contract-values.ts';
import type { TestService } from './harness.ts';

const AT_ONCE = 2_000;
const SYSTEMS = ['crm', 'erp', 'hr', 'billing'];
const OUTCOMES = [
  ...Array.from({ length: 17 }, () => ({ decision: 'allow', reasonCode: 'requirements_met' }) as const),
  { decision: 'pause', reasonCode: 'CONTROL_EVIDENCE_MISSING' },
  { decision: 'pause', reasonCode: 'authority_mismatch' },
  { decision: 'block', reasonCode: 'CONTROL_FAILED' },
] as const;

/** INVARIANT of the store: no record is more than 30 s older than the newest one. */
export async function fillStore(
  { store, workspace }: TestService,
  count: number,
  spreadMs: number,
): Promise<void> {
  const startMs = Date.now() - spreadMs;
  const keys = (await store.listKeys(workspace)).filter(({ kind }) => kind !== 'owner');
  for (let from = 0; from < count; from += AT_ONCE) {
    const requests = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => {
      const at = from + i;
      return newRequest(workspace, {
        atMs: startMs + Math.floor((at * spreadMs) / count),
        ...OUTCOMES[at % OUTCOMES.length]!,
        keyId: keys[at % keys.length]!.id,
        system: SYSTEMS[at % SYSTEMS.length]!,
        objectRef: `C-${at % 5_000}`,
        workflowId: `workflow-${at % 20}`,
        runId: `run-${Math.floor(at / 100)}`,
      });
    });
    await commitTo(store, requests);
  }
  // The search index lags behind commits, and a list waits for it only so long; wait here, before the measurement.
  for (let isBehind = true; isBehind; ) {
    isBehind = await store.listDecisions({ workspace, limit: 1 }).then(
      () => false,
      (error: unknown) => error instanceof StoreUnavailable || Promise.reject(error),
    );
  }
}

/** The service lets a workspace have no more. */
const OPEN_MAX = 1_000;
const CLOSED = ['approved', 'rejected', 'expired', 'cancelled'] as const;

/** Makes copies of the open reviews, each of another object; all but the first 1,000 are closed. */
export async function fillReviews({ store, workspace }: TestService, count: number): Promise<void> {
  const page = await store.listReviews({ workspace, state: 'open', limit: 50 });
  if (page.kind === 'bad_cursor' || page.reviews.length === 0) throw new Error('no open review to copy');
  const originals = page.reviews.map(reviewOf);
  for (let from = 0; from < count; from += AT_ONCE / 4) {
    const changes = Array.from({ length: Math.min(AT_ONCE / 4, count - from) }, (_, i) => {
      const review = copyOf(originals[(from + i) % originals.length]!, from + i);
      const by = { kind: 'checking_key', id: review.askedBy[0]!.keyId } as const;
      return { review: rowOf(review), entries: [openedEntry(review, by, review.openedAtMs)] };
    });
    const { kind } = await store.changeReviews(changes);
    if (kind !== 'changed') throw new Error(kind);
  }
}

function copyOf(original: Review, at: number): Review {
  const objectRef = `${original.write.objectRef}-${at}`;
  const intent = { ...JSON.parse(original.write.intentText), objectRef };
  const closed = at < OPEN_MAX ? null : CLOSED[at % CLOSED.length]!;
  const write = {
    ...original.write,
    objectRef,
    intentText: JSON.stringify(intent),
    intentDigest: intentDigest(intent),
    likeness: `copy ${at}`,
  };
  const closing =
    closed === null
      ? {}
      : {
          state: closed,
          because: closed === 'cancelled' ? ('cancelled' as const) : null,
          resolvedAtMs: original.openedAtMs + 1 + at,
          validUntilMs: closed === 'approved' ? original.openedAtMs + 1 + at : null,
        };
  return { ...original, id: idOf('rev_', original.openedAtMs), version: 1, write, ...closing };
}
