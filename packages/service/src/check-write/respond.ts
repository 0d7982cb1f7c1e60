/** Turns what the commit recorded into the response: new decisions, or a replay of an earlier request's. */
import type { PolicySnapshot } from '@writecheck/engine';
import { problemAnswer, problemText } from '../problem-answer.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { rememberLast } from '../remember-last.ts';
import type { Evidence, Policies, StoredAnswer, UsageReading } from '../store/port.ts';
import { type CheckAnswer, decisionAnswer, NO_HEADERS } from './answer.ts';
import type { Recorded } from './commit-decisions.ts';
import { replay } from './idempotency.ts';
import type { Asked } from './parse-request.ts';
import { limitOf, quotaHeaders } from './quota.ts';
import { addReceipts, RECEIPTS_APPLIED, type Receipts } from './receipts.ts';

export interface RespondParts {
  readonly store: Pick<Evidence, 'attestationStates'> &
    Pick<UsageReading, 'usage'> &
    Pick<Policies, 'listPolicies'>;
  /** The running policy of a workspace; a promise only if it is not in memory. */
  readonly snapshotOf: (workspace: string) => PolicySnapshot | Promise<PolicySnapshot>;
  readonly receipts?: Receipts;
}

/** Returns a promise only for a replay. */
export function respond(
  parts: RespondParts,
  asked: Asked,
  recorded: Recorded,
): CheckAnswer | Promise<CheckAnswer> {
  switch (recorded.kind) {
    case 'refused':
      return problemAnswer(asked.identity, recorded);
    case 'twin':
      return respondAgain(parts, asked, recorded.stored);
    case 'recorded': {
      const { key, identity } = asked;
      const headers = quotaHeaders(key.kind, limitOf(key.kind), recorded.used, identity.nowMs);
      const body = bodyOf(asked, recorded.answers);
      return typeof body === 'string'
        ? decisionAnswer(body, headers, appliedTo(parts, asked))
        : problemAnswer(identity, body, headers);
    }
  }
}

/** A single check over quota is refused as a whole; in a batch its error takes its place. */
function bodyOf({ kind, frame, identity }: Asked, answers: readonly (string | Refusal)[]): string | Refusal {
  if (kind === 'check') return answers[0]!;
  const errorText = rememberLast((refusal: Refusal) => problemText(identity, refusal));
  return frame.reduce((body, piece, i) => {
    const answer = answers[i - 1]!;
    return body + (typeof answer === 'string' ? answer : errorText(answer)) + piece;
  });
}

function appliedTo({ receipts }: RespondParts, { wantsReceipts }: Asked): CheckAnswer['headers'] {
  return wantsReceipts && receipts !== undefined ? RECEIPTS_APPLIED : NO_HEADERS;
}

async function respondAgain(parts: RespondParts, asked: Asked, stored: StoredAnswer): Promise<CheckAnswer> {
  const { store, receipts } = parts;
  const { key, identity } = asked;
  const { workspace, kind } = key;
  const { nowMs } = identity;
  const snapshot = await parts.snapshotOf(workspace);
  // INVARIANT: only a request with an `Idempotency-Key` has a twin.
  const again = await replay(store, workspace, stored, asked.idempotency!, snapshot, nowMs);
  if (isRefusal(again)) return problemAnswer(identity, again);
  const limit = limitOf(kind);
  const used =
    limit === null ? 0 : (await store.usage(workspace, new Date(nowMs).toISOString().slice(0, 7)))[kind];
  const headers = { ...quotaHeaders(kind, limit, used, nowMs), 'idempotency-replayed': 'true' };
  const applied = appliedTo(parts, asked);
  if (applied === NO_HEADERS) return decisionAnswer(again, headers);
  const asker = { workspace, keyId: key.id };
  const proven = await addReceipts(receipts!, asker, Buffer.from(again).toString());
  return proven === null ? decisionAnswer(again, headers) : decisionAnswer(proven, headers, applied);
}
