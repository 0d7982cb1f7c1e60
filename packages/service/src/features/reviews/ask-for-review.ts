/** Derives what a review needs from a recorded decision, or the reason why nobody can review it. */
import { DAY_MS, type EngineDecision } from '@writecheck/contract';
import type { PolicySnapshot } from '@writecheck/engine';
import { type RecordFields, readRecord, recordedIntent } from '@writecheck/ledger/log';
import type { PolicyRevision } from '@writecheck/store/port';
import type { Actor } from '../../exchange/actor.ts';
import { type Refusal, refuse, refuseAt, storeUnavailable } from '../../exchange/refusal.ts';
import { outOfScope } from '../keys/scope.ts';
import { likenessOf } from './like-writes.ts';
import { meaningOf, type NewReview } from './open-review.ts';
import type { ReviewParts } from './review-parts.ts';
import { termsOf } from './review-terms.ts';
import type { Viewer } from './show-review.ts';

interface ReviewRequest {
  readonly decisionId: string;
  readonly justification: string | null;
  readonly onBehalfOf: string | null;
  readonly externalRef: string | null;
}

export async function askForReview(
  { store, snapshotOf }: ReviewParts,
  actor: Actor,
  viewer: Viewer,
  wanted: ReviewRequest,
  nowMs: number,
): Promise<NewReview | Refusal> {
  const { workspace } = actor;
  const found = await store.findDecision(workspace, wanted.decisionId);
  const record = found === null ? null : readRecord(found.record);
  if (found === null || record === null || !maySee(viewer, record)) {
    return refuse(
      'not_found',
      'there is no such decision in this workspace; check its id and the workspace of the key',
    );
  }
  const intent = recordedIntent(found.record);
  const target = { system: intent.system, workflowId: intent.workflowId ?? undefined };
  const beyond = actor.kind === 'checking_key' ? outOfScope(actor.key, target) : null;
  if (beyond !== null) return beyond;
  const [running] = await store.listPolicies(workspace, 1);
  const snapshot = await snapshotOf(workspace);
  const refused = refuseOld(record, running, snapshot, nowMs);
  if (refused !== null) return refused;
  const { review } = record.decision;
  if (review === undefined) return notForAPerson(record.decision);
  const { decisionId, intentDigest, keyKind, intentText, facts, timestamp } = record;
  const { justification, onBehalfOf, externalRef } = wanted;
  const terms = termsOf(intentText, facts, snapshot, Date.parse(timestamp));
  if (terms.requesterRequired && onBehalfOf === null) return NO_REQUESTER;
  return {
    write: {
      workspace,
      decisionId,
      intentDigest,
      keyKind,
      intentText,
      system: intent.system,
      objectRef: intent.objectRef ?? null,
      likeness: likenessOf(intent),
      alsoNeeded: alsoNeeded(record.decision, review.controls),
    },
    controlIds: review.controls,
    terms: meaningOf(terms),
    asker: { keyId: record.keyId, justification, onBehalfOf, externalRef, atMs: nowMs },
    // INVARIANT: the role table lets no service key open a review.
    by: { kind: actor.kind === 'service_key' ? 'owner_key' : actor.kind, id: actor.id },
  };
}

const NO_REQUESTER = refuseAt(
  '/onBehalfOf',
  'the policy requires a requester: say in `onBehalfOf` for whom the write is made',
);

function maySee(viewer: Viewer, { keyId }: RecordFields): boolean {
  return viewer.kind === 'owner' || viewer.keyIds.has(keyId);
}

function refuseOld(
  { timestamp, policyRef }: RecordFields,
  running: PolicyRevision | undefined,
  snapshot: PolicySnapshot,
  nowMs: number,
): Refusal | null {
  const decidedAtMs = Date.parse(timestamp);
  if (nowMs - decidedAtMs >= DAY_MS) {
    return notReviewable('the decision is more than 24 hours old', 'ask for a new decision');
  }
  // A bundle that was replaced and then applied again is another revision.
  const isSame = (running?.digest ?? null) === policyRef && (running?.createdAtMs ?? 0) <= decidedAtMs;
  if (!isSame) return notReviewable('the policy changed since the decision', 'ask for a new decision');
  // Another process has applied it, and this one does not know yet.
  return snapshot.digest === policyRef ? null : storeUnavailable('the policy is being loaded; try again');
}

function notReviewable(why: string, need: string): Refusal {
  return refuse('not_reviewable', `${why}; ${need}`, [{ pointer: '/decision_id', message: need }]);
}

function notForAPerson({ decision, remediation = [] }: EngineDecision): Refusal {
  if (decision === 'allow') {
    return notReviewable('the decision is allow', 'no review is needed: make the write while it is valid');
  }
  if (decision === 'block' && remediation.length === 0) {
    return notReviewable(
      'the decision is block, and no person can lift it',
      'change the write and ask again',
    );
  }
  const needs = remediation.map(({ action, need }) => ({
    pointer: '/decision_id',
    message: `${action}: ${need}`,
  }));
  return refuse('not_reviewable', `no person can resolve this ${decision}; see what it needs`, needs);
}

/** Remediation that no approval covers, so the caller must supply it. */
function alsoNeeded({ remediation = [] }: EngineDecision, controls: readonly string[]) {
  return remediation.filter(
    ({ action, controlId }) =>
      action === 'supply' && (controlId === undefined || !controls.includes(controlId)),
  );
}
