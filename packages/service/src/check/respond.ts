/** Turns what the commit recorded into the response: new decisions, or a replay of an earlier request's. */

import type { Decisions, Store, StoredAnswer, UsageReading } from '@writecheck/store/port';
import { type Answer, jsonText } from '../exchange/answer.ts';
import { problemAnswer, problemText } from '../exchange/problem-answer.ts';
import { isRefusal, type Refusal } from '../exchange/refusal.ts';
import type { PolicyBook } from '../features/policies/policy-book.ts';
import { rememberLast } from '../support/remember-last.ts';
import type { Recorded } from './commit-decisions.ts';
import type { Asked } from './parse-request.ts';
import { limitOf, quotaHeaders } from './quota.ts';
import { addReceipts, RECEIPTS_APPLIED, type Receipts } from './receipts.ts';
import { replay } from './replay.ts';

export interface RespondParts {
  readonly store: Pick<Store, 'attestationStates'> &
    Pick<Decisions, 'findDecision'> &
    Pick<UsageReading, 'usage'> &
    Pick<Store, 'listPolicies' | 'redemptionTimes' | 'freezesAfter' | 'activeFreezes' | 'listKeys'>;
  readonly policies: Pick<PolicyBook, 'snapshotOf'>;
  readonly receipts?: Receipts;
}

/** Returns a promise only for a replay. */
export function respond(parts: RespondParts, asked: Asked, recorded: Recorded): Answer | Promise<Answer> {
  switch (recorded.kind) {
    case 'refused':
      return problemAnswer(asked.context, recorded);
    case 'twin':
      return respondAgain(parts, asked, recorded.stored);
    case 'recorded': {
      const { key, context } = asked;
      const headers = quotaHeaders(key.kind, limitOf(key.kind), recorded.used, context.nowMs);
      const body = bodyOf(asked, recorded);
      return typeof body === 'string'
        ? jsonText(200, body, hasReceipts(parts, asked) ? { ...headers, ...RECEIPTS_APPLIED } : headers)
        : problemAnswer(context, body, headers);
    }
  }
}

/** A single check over quota is refused as a whole; in a batch its error takes its place. */
function bodyOf(
  { isBatch, context, form }: Asked,
  { answers, frame }: Extract<Recorded, { kind: 'recorded' }>,
): string | Refusal {
  if (!isBatch) return answers[0]!;
  const errorText = rememberLast(
    (refusal: Refusal) => form?.errorText(refusal) ?? problemText(context, refusal),
  );
  return frame.reduce((body, piece, i) => {
    const answer = answers[i - 1]!;
    return body + (typeof answer === 'string' ? answer : errorText(answer)) + piece;
  });
}

function hasReceipts({ receipts }: RespondParts, { wantsReceipts }: Asked): boolean {
  return wantsReceipts && receipts !== undefined;
}

async function respondAgain(parts: RespondParts, asked: Asked, stored: StoredAnswer): Promise<Answer> {
  const { store, receipts } = parts;
  const { key, context } = asked;
  const { workspace, kind } = key;
  const { nowMs } = context;
  const snapshot = await parts.policies.snapshotOf(workspace);
  // INVARIANT: only a request with an `Idempotency-Key` has a twin.
  const again = await replay(store, asked, stored, snapshot);
  if (isRefusal(again)) return problemAnswer(context, again);
  const limit = limitOf(kind);
  const used =
    limit === null ? 0 : (await store.usage(workspace, new Date(nowMs).toISOString().slice(0, 7)))[kind];
  const headers = { ...quotaHeaders(kind, limit, used, nowMs), 'idempotency-replayed': 'true' };
  const asker = { workspace, keyId: key.id };
  if (asked.form !== undefined) {
    const receiptOf = hasReceipts(parts, asked) ? (id: string) => receipts!.again(asker, id) : null;
    return jsonText(200, await asked.form.again(Buffer.from(again).toString(), receiptOf), {
      ...headers,
      ...(receiptOf === null ? {} : RECEIPTS_APPLIED),
    });
  }
  if (!hasReceipts(parts, asked)) return jsonText(200, again, headers);
  const proven = await addReceipts(receipts!, asker, Buffer.from(again).toString());
  return proven === null
    ? jsonText(200, again, headers)
    : jsonText(200, proven, { ...headers, ...RECEIPTS_APPLIED });
}
