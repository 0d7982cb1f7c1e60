/** One intent on its way through the engine: what is decided, and everything the record and the answer need of it. */
import { hash } from 'node:crypto';
import {
  type ConsumedAttestation,
  canonicalIntent,
  type DecisionTexts,
  decisionTexts,
  type EngineDecision,
  isoTime,
  type WriteIntent,
} from '@writecheck/contract';
import { type AttestationFacts, decide, type PolicySnapshot } from '@writecheck/engine';
import { newId } from '../ids/new-id.ts';
import { wholeApprovals } from '../reviews/whole-approvals.ts';
import type { CheckingKeyKind, CommitEntry } from '../store/port.ts';
import { DraftAnswer, type RequestIdentity } from './answer.ts';
import { recordAround } from './audit-record.ts';

export interface Check {
  readonly intent: WriteIntent;
  /** The parser's. */
  readonly warnings: readonly string[];
  /** The intent's JSON as received. */
  readonly bytes: Uint8Array;
  readonly digest: string;
}

/** The digest of `intentDigest`, by the faster hash of this runtime. */
export const digestOf = (intent: WriteIntent): string => `sha256:${hash('sha256', canonicalIntent(intent))}`;

export interface Decided {
  readonly check: Check;
  readonly facts: readonly AttestationFacts[];
  readonly decision: EngineDecision;
  readonly texts: DecisionTexts;
  readonly decisionId: string;
  readonly auditId: string;
}

export const decideCheck = (
  check: Check,
  facts: readonly AttestationFacts[],
  snapshot: PolicySnapshot,
  nowMs: number,
): Decided => {
  const decision = decide(check.intent, facts, snapshot, nowMs);
  return {
    check,
    facts,
    decision,
    texts: decisionTexts(decision),
    // INVARIANT: both ids carry the record's time, by which the store finds a decision again.
    decisionId: newId('dec_', nowMs),
    auditId: newId('aud_', nowMs),
  };
};

export const draftOf = (decided: Decided, identity: RequestIdentity): DraftAnswer =>
  new DraftAnswer(decided.decision, decided.texts, {
    decisionId: decided.decisionId,
    auditId: decided.auditId,
    requestId: identity.requestId,
    traceId: identity.traceId,
    timestampMs: identity.nowMs,
    intentDigest: decided.check.digest,
    warnings: decided.check.warnings,
  });

const NOTHING: readonly ConsumedAttestation[] = [];

export const entryOf = (
  { check, facts, decision, texts, decisionId, auditId }: Decided,
  {
    workspace,
    keyId,
    keyKind,
  }: { readonly workspace: string; readonly keyId: string; readonly keyKind: CheckingKeyKind },
  { requestId, traceId, nowMs }: RequestIdentity,
  policyRef: string | null,
): CommitEntry => {
  const timestamp = isoTime(nowMs);
  const isAllow = decision.decision === 'allow';
  const { validUntil } = decision;
  const record = recordAround(
    {
      ...{ decisionId, auditId, requestId, traceId, workspace, keyId, keyKind, timestamp, policyRef },
      ...{ intentDigest: check.digest, warnings: check.warnings, facts, decision },
    },
    texts,
    check.bytes,
  );
  return {
    atMs: nowMs,
    record,
    leaf: {
      decision_id: decisionId,
      audit_id: auditId,
      keyId,
      timestamp,
      decision: decision.decision,
      evaluatedDecision: decision.evaluatedDecision,
      reason_code: decision.reasonCode,
      intentDigest: check.digest,
      policyRef,
      validUntil: isAllow && validUntil !== undefined ? isoTime(validUntil) : null,
    },
    // INVARIANT: only an allow uses anything up, and only an allow can be undone by a revocation.
    consumes: isAllow ? wholeApprovals(decision.consumes) : NOTHING,
    restsOn: isAllow ? wholeApprovals(decision.restsOn) : NOTHING,
  };
};
