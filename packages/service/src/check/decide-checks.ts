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
import type { KnownFreezes } from '../features/freezes/freeze-book.ts';
import { type FoundApprovals, withApprovers } from '../features/reviews/look-up-facts.ts';
import { newId } from '../support/ids/new-id.ts';
import type { Counters } from './counters.ts';
import { DraftAnswer } from './draft-answer.ts';
import type { Asked, Check } from './parse-request.ts';
import { markUsedUp, usedName, wholeApprovals } from './used-evidence.ts';
import { type FactsOfChecks, NO_FACTS } from './verified-facts.ts';

/** The engine's result for a check, with everything the commit and the response need. */
export interface Decided {
  readonly decision: EngineDecision;
  readonly entry: CommitEntry;
  readonly draft: DraftAnswer;
  /** What the enforcing limits did that this write exceeds. */
  readonly beyond: readonly Limit['beyond'][];
}

/** The freezes of the workspace, and the keys by which one may name the asker. */
export interface Stops {
  readonly freezes: KnownFreezes;
  readonly keyIds: readonly string[];
}

const NOTHING: readonly ConsumedAttestation[] = [];
const NONE_BEYOND: Decided['beyond'] = [];
const NO_READINGS: readonly LimitReading[] = [];

/**
 * For all records of a request. A policy can make one as long as its profiles, or its sources, times its controls.
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
  asked: Asked,
  facts: FactsOfChecks,
  snapshot: PolicySnapshot,
  approvals: FoundApprovals | null,
  stops: Stops,
  counters: Counters | null,
): readonly Decided[] | Refusal {
  const all: Decided[] = [];
  // If two checks in one batch would use up the same attestation, the first one gets it.
  const usedUp = new Set<string>();
  let characters = 0;
  for (const [i, check] of asked.checks.entries()) {
    const verified = facts?.[i] ?? NO_FACTS;
    const own = usedUp.size === 0 ? verified : markUsedUp(check.intent, verified, usedUp);
    const decided = decideCheck(check, own, snapshot, approvals, stops, asked, all[0], counters, i);
    for (const item of decided.entry.consumes) usedUp.add(usedName(item));
    const { before, intent } = decided.entry.record;
    characters += before.length + intent.length;
    if (characters > RECORD_CHARACTERS_MAX) return TOO_LARGE;
    all.push(decided);
    if (asked.endsAfter?.(decided.decision.decision)) break;
  }
  return all;
}

function decideCheck(
  check: Check,
  facts: readonly AttestationChecks[],
  snapshot: PolicySnapshot,
  approvals: FoundApprovals | null,
  stops: Stops,
  { key, context, form, claim }: Asked,
  /** The first decision of the same request, whose record holds the body as received. */
  first: Decided | undefined,
  counters: Counters | null,
  index: number,
): Decided {
  const { requestId, traceId, nowMs } = context;
  const { digest: intentDigest, warnings } = check;
  const { digest: policyRef } = snapshot;
  const freezes = stops.freezes.matching(check.intent, stops.keyIds);
  const counted = counters?.of(index, facts) ?? null;
  const readings = counted?.readings ?? NO_READINGS;
  const decision = decide(check.intent, facts, snapshot, nowMs, {
    freezes,
    readings,
    keyId: key.lineage,
    ...(counted !== null && { applied: counted.applied }),
  });
  const { limits, consumes, restsOn } = decision;
  const texts = decisionTexts(decision);
  // INVARIANT: both ids carry the record's time, which the store uses to find the decision.
  const decisionId = newId('dec_', nowMs);
  const auditId = newId('aud_', nowMs);
  const timestamp = isoTime(nowMs);
  const record = recordAround(
    {
      engine: ENGINE_VERSION,
      decisionId,
      auditId,
      requestId,
      traceId,
      workspace: key.workspace,
      keyId: key.id,
      keyKind: key.kind,
      timestamp,
      policyRef,
      intentDigest,
      warnings,
      ...receivedOf(check, first),
      freezeNumber: stops.freezes.number,
      freezes: freezes.length === 0 ? undefined : freezes,
      ...(counted !== null &&
        limits !== undefined && {
          readings,
          draws: counted.draws,
          ...(counted.countsByKey && { firstKeyId: key.lineage }),
        }),
      facts,
      decision,
    },
    texts,
    check.bytes,
  );
  const isAllow = decision.decision === 'allow';
  const isTaken = isAllow && claim !== null;
  const entry: CommitEntry = {
    atMs: nowMs,
    record,
    leaf: {
      decision_id: decisionId,
      audit_id: auditId,
      keyId: key.id,
      timestamp,
      decision: decision.decision,
      evaluatedDecision: decision.evaluatedDecision,
      reason_code: decision.reasonCode,
      intentDigest,
      policyRef,
      validUntil: isAllow && decision.validUntil !== undefined ? isoTime(decision.validUntil) : null,
    },
    // INVARIANT: only an allow uses anything up, and only an allow can be undone by a revocation.
    consumes: isAllow && consumes.length > 0 ? wholeApprovals(consumes) : NOTHING,
    restsOn: isAllow && restsOn.length > 0 ? withApprovers(wholeApprovals(restsOn), approvals) : NOTHING,
    ...(counted !== null &&
      limits !== undefined && { limits: counted.entryLimits(limits, texts.limits!, isAllow) }),
    ...(isTaken ? { redeems: { decisionId, intentDigest } } : {}),
  };
  const redemption = isTaken ? { redeemedAt: timestamp, claim } : undefined;
  const ids = { decisionId, auditId, requestId, traceId };
  const envelope = { ...ids, timestampMs: nowMs, intentDigest, warnings, redemption };
  const answer = form?.textsOf(decision, texts, envelope) ?? {
    opening: decisionResponseOpening(decision, envelope, texts),
    closing: '}',
  };
  const draft = new DraftAnswer(decisionId, answer, texts.limits);
  return { decision, entry, draft, beyond: limits === undefined ? NONE_BEYOND : beyondIn(limits, snapshot) };
}

function beyondIn(limits: readonly LimitState[], { limits: known }: PolicySnapshot): Decided['beyond'] {
  const ids = new Set(limits.filter(({ beyond, observed }) => beyond && !observed).map(({ id }) => id));
  return known.filter(({ id }) => ids.has(id)).map(({ beyond }) => beyond);
}

/** A batch is kept once: in the record of its first decision, which the others name. */
function receivedOf({ received }: Check, first: Decided | undefined): Pick<RecordFields, 'received'> {
  if (received === undefined) return NOT_MAPPED;
  const { body, evaluation } = received;
  const place =
    first === undefined
      ? { body: Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64') }
      : { bodyIn: first.entry.leaf.decision_id };
  return { received: evaluation === undefined ? place : { evaluation, ...place } };
}

const NOT_MAPPED = {};
