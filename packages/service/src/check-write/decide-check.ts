/** Runs one intent through the engine and collects what the record and the response need. */
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
import { type AttestationFacts, decide, ENGINE_VERSION, type PolicySnapshot } from '@writecheck/engine';
import { recordAround } from '@writecheck/ledger';
import { newId } from '../ids/new-id.ts';
import type { RequestIdentity } from '../problem-answer.ts';
import { type FoundApprovals, withApprovers } from '../reviews/look-up-facts.ts';
import type { CheckingKeyKind, CommitEntry, StoredKey } from '../store/port.ts';
import { wholeApprovals } from '../used-evidence.ts';
import { DraftAnswer } from './answer.ts';

export type CheckingKey = StoredKey & { readonly kind: CheckingKeyKind };

export interface Check {
  readonly intent: WriteIntent;
  /** From the parser. */
  readonly warnings: readonly string[];
  /** The intent's JSON as received. */
  readonly bytes: Uint8Array;
  readonly digest: string;
}

/** The digest that `intentDigest` computes, with this runtime's hash: `npm run bench -- micro`, case `sha256`. */
export function digestOf(intent: WriteIntent): string {
  return `sha256:${hash('sha256', canonicalIntent(intent))}`;
}

/** The engine's result for a check, with everything the commit and the response need. */
export interface Decided {
  readonly decision: EngineDecision;
  readonly entry: CommitEntry;
  readonly draft: DraftAnswer;
}

export function decideCheck(
  check: Check,
  facts: readonly AttestationFacts[],
  snapshot: PolicySnapshot,
  approvals: FoundApprovals | null,
  key: CheckingKey,
  identity: RequestIdentity,
): Decided {
  const { requestId, traceId, nowMs } = identity;
  const decision = decide(check.intent, facts, snapshot, nowMs);
  const texts = decisionTexts(decision);
  // INVARIANT: both ids carry the record's time, which the store uses to find the decision.
  const decisionId = newId('dec_', nowMs);
  const auditId = newId('aud_', nowMs);
  const draft = new DraftAnswer(decision, texts, {
    decisionId,
    auditId,
    requestId,
    traceId,
    timestampMs: nowMs,
    intentDigest: check.digest,
    warnings: check.warnings,
  });
  const entry = entryOf(
    { check, facts, approvals, decision, texts, decisionId, auditId },
    key,
    identity,
    snapshot.digest,
  );
  return { decision, entry, draft };
}

const NOTHING: readonly ConsumedAttestation[] = [];

interface Parts {
  readonly check: Check;
  readonly facts: readonly AttestationFacts[];
  readonly approvals: FoundApprovals | null;
  readonly decision: EngineDecision;
  readonly texts: DecisionTexts;
  readonly decisionId: string;
  readonly auditId: string;
}

function entryOf(
  { check, facts, approvals, decision, texts, decisionId, auditId }: Parts,
  { workspace, id: keyId, kind: keyKind }: CheckingKey,
  { requestId, traceId, nowMs }: RequestIdentity,
  policyRef: string | null,
): CommitEntry {
  const timestamp = isoTime(nowMs);
  const isAllow = decision.decision === 'allow';
  const { validUntil } = decision;
  const record = recordAround(
    {
      engine: ENGINE_VERSION,
      decisionId,
      auditId,
      requestId,
      traceId,
      workspace,
      keyId,
      keyKind,
      timestamp,
      policyRef,
      intentDigest: check.digest,
      warnings: check.warnings,
      facts,
      decision,
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
    restsOn: isAllow ? withApprovers(wholeApprovals(decision.restsOn), approvals) : NOTHING,
  };
}
