/** A program for any runtime: neither the DOM library nor the types of Node are there. It is compiled, never run. */
import * as guard from '@writecheck/adapters/guard';
import {
  type AbortSignalLike,
  createClient,
  type Fetch,
  type GuardOutcome,
  type Review,
  type WriteIntent,
} from '@writecheck/client';
import { type SignedEvidence, signEvidence } from '@writecheck/client/evidence';
import { type ReceiptVerdict, verifyReceipt } from '@writecheck/client/receipt';

const intent: WriteIntent = { system: 'crm', operation: 'contact.update' };
const signal: AbortSignalLike = { aborted: false, addEventListener() {}, removeEventListener() {} };
const fetch: Fetch = async (url, { method, headers, body, signal }) => ({
  status: signal.aborted || url === '' || method === 'GET' || body === '' ? 500 : 200,
  headers: { get: (name) => headers[name] ?? null },
  body: null,
});
const client = createClient({ apiKey: 'k', baseUrl: 'http://x', fetch });

export async function write(): Promise<string> {
  const review = { waitMs: 1000, justification: 'because' };
  const outcome: GuardOutcome<number> = await client.guardWrite(
    () => intent,
    () => 5,
    { review, signal },
  );
  if (outcome.executed) return String(outcome.result);
  // @ts-expect-error there is no result when nothing was executed
  void outcome.result;
  const stopped:
    | 'rejected'
    | 'expired'
    | 'cancelled'
    | 'out_of_time'
    | 'changed_since_approval'
    | 'taken'
    | 'frozen'
    | 'limit'
    | undefined = outcome.stopped;
  return `${stopped} ${outcome.review?.url}`;
}

export async function others(decisionId: string): Promise<Review | string> {
  await client.redeem({ decision_id: decisionId, intentDigest: '' }, { idempotencyKey: 'k' });
  await client.requirements(intent, { signal });
  // @ts-expect-error how long to wait is a number
  await client.waitForReview('rev_1', { waitMs: '5' });
  const resumed = await client.resumeWrite(
    'rev_1',
    async () => intent,
    () => 5,
    { waitMs: 5 },
  );
  const opened = await client.openReview(decisionId, { onBehalfOf: 'ada@example.com' });
  return opened.kind === 'review' ? opened.review : opened.cause.message + resumed.executed;
}

export const signed: Promise<SignedEvidence> = signEvidence({
  key: { kty: 'OKP', crv: 'Ed25519', x: '', d: '' },
  kid: 'k',
  source: 's',
  workspace: 'w',
  controlId: 'c',
  result: 'PASS',
  intent,
});
export const verdict: Promise<ReceiptVerdict> = verifyReceipt({
  receipt: {},
  intent,
  keys: [],
  workspace: 'w',
  now: 0,
});
export { guard };
