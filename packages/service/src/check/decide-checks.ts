/** Decides the checks of one request under one policy, and collects what their records and responses need. */
import {
  type ConsumedAttestation,
  decisionResponseOpening,
  decisionTexts,
  type EngineDecision,
  isoTime,
  type LimitReading,
  type LimitState,
} from '@writecheck/contract';
import {
  type AttestationChecks,
  decide,
  ENGINE_VERSION,
  type Limit,
  type PolicySnapshot,
} from '@writecheck/engine/deciding';
import { type RecordFields, recordAround } from '@writecheck/ledger/log';
import type { CommitEntry } from '@writecheck/store/port';
import { type Refusal, refuse } from '../exchange/refusal.ts';
import { withApprovers } from '../features/reviews/look-up-facts.ts';
import { newId } from '../support/ids/new-id.ts';
import type { CheckCounters, Counters } from './counters.ts';
import { DraftAnswer } from './draft-answer.ts';
import type { Check, ParsedRequest } from './parse-request.ts';
import type { Basis } from './read-basis.ts';
import { markUsedUp, usedName, wholeApprovals } from './used-evidence.ts';
import { NO_FACTS } from './verified-facts.ts';

/** The engine's result for a check, with everything the commit and the response need. */
export interface Decided {
  readonly decision: EngineDecision;
  readonly entry: CommitEntry;
  readonly draft: DraftAnswer;
  /** The `beyond` of each enforcing limit that this write exceeds. */
  readonly beyond: readonly Limit['beyond'][];
}

const NOTHING: readonly ConsumedAttestation[] = [];
const NONE_BEYOND: Decided['beyond'] = [];
const NO_READINGS: readonly LimitReading[] = [];

/**
 * Limits the records of a request together. A single record can grow with the number of profiles (or sources) times
 * the number of controls.
 */
const RECORD_CHARACTERS_MAX = 16 * 1024 * 1024;

const TOO_LARGE: Refusal = refuse(
  'body_too_large',
  'the records of these decisions are too large; send fewer checks at once, or define the same controls in fewer profiles and sources',
);

/**
 * Stops at the first record that exceeds the limit: records that cannot be stored must not fill the memory either.
 */
export function decideChecks(
  parsed: ParsedRequest,
  basis: Basis,
  counters: Counters | null,
): readonly Decided[] | Refusal {
  const all: Decided[] = [];
  // If two checks in one batch would use up the same attestation, the first one gets it.
  const usedUp = new Set<string>();
  let characters = 0;
  for (const [i, check] of parsed.checks.entries()) {
    const verified = basis.facts?.[i] ?? NO_FACTS;
    const facts = usedUp.size === 0 ? verified : markUsedUp(check.intent, verified, usedUp);
    const counted = counters?.of(i, facts) ?? null;
    const decided = decideCheck(parsed, check, { basis, facts, counted, first: all[0] });
    for (const item of decided.entry.consumes) usedUp.add(usedName(item));
    const { before, intent } = decided.entry.record;
    characters += before.length + intent.length;
    if (characters > RECORD_CHARACTERS_MAX) return TOO_LARGE;
    all.push(decided);
    if (parsed.frame.endsAfter?.(decided.decision.decision)) break;
  }
  return all;
}

interface DecisionInputs {
  readonly basis: Basis;
  readonly facts: readonly AttestationChecks[];
  /** Null if the policy has no limits. */
  readonly counted: CheckCounters | null;
  /** The first decision of the same request, whose record holds the body as received. */
  readonly first: Decided | undefined;
}

function decideCheck(
  { key, context, form, claim }: ParsedRequest,
  check: Check,
  inputs: DecisionInputs,
): Decided {
  const { requestId, traceId, nowMs } = context;
  const { facts, counted, first } = inputs;
  const { freezes: knownFreezes, keyIds, snapshot, approvals } = inputs.basis;
  const freezes = knownFreezes.matching(check.intent, keyIds);
  const decision = decide(check.intent, facts, snapshot, nowMs, {
    freezes,
    readings: counted?.readings ?? NO_READINGS,
    firstKeyId: key.lineage,
    applied: counted?.applied,
  });
  const texts = decisionTexts(decision);
  const isAllow = decision.decision === 'allow';
  const limits = counted !== null && decision.limits !== undefined ? counted : null;
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
    intentDigest: check.digest,
    warnings: check.warnings,
  };
  const { decisionId } = head;
  const record = recordAround(
    {
      ...head,
      engine: ENGINE_VERSION,
      received: receivedOf(check, first),
      freezeNumber: knownFreezes.number,
      freezes: freezes.length === 0 ? undefined : freezes,
      readings: limits?.readings,
      draws: limits?.draws,
      firstKeyId: limits?.countsByKey ? key.lineage : undefined,
      facts,
      decision,
    },
    texts,
    check.bytes,
  );
  const isTaken = isAllow && claim !== null;
  const entry: CommitEntry = {
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
    ...(isTaken && { redeems: { decisionId, intentDigest: check.digest } }),
  };
  const redemption = isTaken ? { redeemedAt: head.timestamp, claim } : undefined;
  const envelope = { ...head, timestampMs: nowMs, redemption };
  const answer = form?.textsOf(decision, texts, envelope) ?? {
    opening: decisionResponseOpening(decision, envelope, texts),
    closing: '}',
  };
  const draft = new DraftAnswer(decisionId, answer, texts.limits);
  const beyond = limits === null ? NONE_BEYOND : beyondIn(decision.limits!, snapshot);
  return { decision, entry, draft, beyond };
}

function leafOf(
  head: Pick<RecordFields, 'decisionId' | 'auditId' | 'keyId' | 'timestamp' | 'intentDigest' | 'policyRef'>,
  { decision, evaluatedDecision, reasonCode, validUntil }: EngineDecision,
): CommitEntry['leaf'] {
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

/** A batch is kept once: in the record of its first decision, which the others name. */
function receivedOf({ received }: Check, first: Decided | undefined): RecordFields['received'] {
  if (received === undefined) return undefined;
  const { body, evaluation } = received;
  const place =
    first === undefined
      ? { body: Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64') }
      : { bodyIn: first.entry.leaf.decision_id };
  return evaluation === undefined ? place : { evaluation, ...place };
}
