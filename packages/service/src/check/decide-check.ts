/** Decides a check under one policy, and collects what its record and response need. */
import {
  type ConsumedAttestation,
  decisionResponseText,
  decisionTexts,
  type EngineDecision,
  isoTime,
  type LimitReading,
  type LimitState,
} from '@writecheck/contract';
import { decide, ENGINE_VERSION, type Limit, type PolicySnapshot } from '@writecheck/engine/deciding';
import { type RecordFields, recordAround } from '@writecheck/ledger/log';
import type { CommitRequest } from '@writecheck/store/port';
import { withApprovers } from '../features/reviews/look-up-facts.ts';
import { newId } from '../support/ids/new-id.ts';
import type { Counters } from './counters.ts';
import { DraftAnswer } from './draft-answer.ts';
import { bindingOf } from './idempotency-binding.ts';
import type { ParsedRequest } from './parse-request.ts';
import type { Basis } from './read-basis.ts';
import { wholeApprovals } from './used-evidence.ts';

/** The engine's result for a check, with everything the commit and the response need. */
export interface Decided {
  readonly decision: EngineDecision;
  readonly request: CommitRequest;
  readonly draft: DraftAnswer;
  /** The `beyond` of each enforcing limit that this write exceeds. */
  readonly beyond: readonly Limit['beyond'][];
}

const NOTHING: readonly ConsumedAttestation[] = [];
const NONE_BEYOND: Decided['beyond'] = [];
const NO_READINGS: readonly LimitReading[] = [];

/** `counters` are null if the policy has no limits. */
export function decideCheck(
  parsed: ParsedRequest,
  { facts, freezes: knownFreezes, keyIds, snapshot, approvals }: Basis,
  counters: Counters | null,
): Decided {
  const { key, context, intent, digest, bytes, warnings, idempotency, claim } = parsed;
  const { requestId, traceId, nowMs } = context;
  const freezes = knownFreezes.matching(intent, keyIds);
  const decision = decide(intent, facts, snapshot, nowMs, {
    freezes,
    readings: counters?.readings ?? NO_READINGS,
    firstKeyId: key.lineage,
    applied: counters?.applied,
  });
  const texts = decisionTexts(decision);
  const isAllow = decision.decision === 'allow';
  const limits = decision.limits === undefined ? null : counters;
  const head = {
    // INVARIANT: both ids carry the record's time, which the store uses to find the decision.
    decisionId: newId('dec_', nowMs),
    auditId: newId('aud_', nowMs),
    requestId,
    traceId,
    workspace: key.workspace,
    keyId: key.id,
    keyKind: key.kind,
    timestamp: isoTime(nowMs),
    policyRef: snapshot.digest,
    intentDigest: digest,
    warnings,
  };
  const { decisionId } = head;
  const record = recordAround(
    {
      ...head,
      engine: ENGINE_VERSION,
      freezeNumber: knownFreezes.number,
      freezes: freezes.length === 0 ? undefined : freezes,
      readings: limits?.readings,
      draws: limits?.draws,
      firstKeyId: limits?.countsByKey ? key.lineage : undefined,
      facts,
      decision,
    },
    texts,
    bytes,
  );
  const isTaken = isAllow && claim !== null;
  const request = {
    workspace: key.workspace,
    keyId: key.id,
    keyKind: key.kind,
    // The commit checks that neither the freezes nor the policy have changed since.
    freezeNumber: knownFreezes.number,
    bundle: { digest: snapshot.digest, hasLimits: snapshot.limits.length > 0 },
    quota: parsed.quota,
    atMs: nowMs,
    record,
    leaf: leafOf(head, decision),
    // INVARIANT: only an allow uses anything up, and only an allow can be undone by a revocation.
    consumes: isAllow && decision.consumes.length > 0 ? wholeApprovals(decision.consumes) : NOTHING,
    restsOn:
      isAllow && decision.restsOn.length > 0
        ? withApprovers(wholeApprovals(decision.restsOn), approvals)
        : NOTHING,
    ...(limits !== null && { limits: limits.entryLimits(decision.limits!, texts.limits!, isAllow) }),
    ...(isTaken && { redeems: { decisionId, intentDigest: digest } }),
    idempotency: null,
  };
  const redemption = isTaken ? { redeemedAt: head.timestamp, claim } : undefined;
  const envelope = { ...head, timestampMs: nowMs, redemption };
  const draft = new DraftAnswer(decisionId, decisionResponseText(decision, envelope, texts), texts.limits);
  const beyond = limits === null ? NONE_BEYOND : beyondIn(decision.limits!, snapshot);
  return {
    decision,
    request:
      idempotency === null
        ? request
        : { ...request, idempotency: bindingOf(parsed, idempotency, request, decision.validUntil) },
    draft,
    beyond,
  };
}

function leafOf(
  head: Pick<RecordFields, 'decisionId' | 'auditId' | 'keyId' | 'timestamp' | 'intentDigest' | 'policyRef'>,
  { decision, evaluatedDecision, reasonCode, validUntil }: EngineDecision,
): CommitRequest['leaf'] {
  return {
    decision_id: head.decisionId,
    audit_id: head.auditId,
    keyId: head.keyId,
    timestamp: head.timestamp,
    decision,
    evaluatedDecision,
    reason_code: reasonCode,
    intentDigest: head.intentDigest,
    policyRef: head.policyRef,
    validUntil: decision === 'allow' && validUntil !== undefined ? isoTime(validUntil) : null,
  };
}

function beyondIn(limits: readonly LimitState[], { limits: known }: PolicySnapshot): Decided['beyond'] {
  const ids = new Set(limits.filter(({ beyond, observed }) => beyond && !observed).map(({ id }) => id));
  return known.filter(({ id }) => ids.has(id)).map(({ beyond }) => beyond);
}
