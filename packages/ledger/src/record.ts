/** The audit record: everything needed to decide again offline and get the same engine output, byte for byte. */
import {
  type AttestationChecks,
  type DecisionTexts,
  type EngineDecision,
  type JsonObject,
  type LimitReading,
  type MatchingFreeze,
  parseStrictJson,
  type WriteIntent,
} from '@writecheck/contract';
import type { CheckingKeyKind } from './leaf.ts';

const RECORD_VERSION = 'writecheck.record.v1';

/** INVARIANT: the intent comes last in a record, and no string before it can contain this unescaped. */
const INTENT_MEMBER = ',"intent":';
const TEXT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const UTF8 = new TextEncoder();
const INTENT_MEMBER_BYTES = UTF8.encode(INTENT_MEMBER);

/** A record's bytes: the intent's as received, with text in UTF-8 around them. */
export interface RecordPieces {
  readonly before: string;
  readonly intent: Uint8Array;
  readonly after: '}';
}

/** One draw; draws are in the order of the readings. */
export interface RecordedDraw {
  /** The digest of the limit's `by`, `sum` and `per`. */
  readonly counter: string;
  /** The texts of the group. */
  readonly group: readonly string[];
}

export interface RecordFields {
  /** The version of the engine that decided. */
  readonly engine: string;
  readonly decisionId: string;
  readonly auditId: string;
  readonly requestId: string;
  readonly traceId: string;
  readonly workspace: string;
  readonly keyId: string;
  readonly keyKind: CheckingKeyKind;
  readonly timestamp: string;
  readonly policyRef: string | null;
  readonly intentDigest: string;
  /** The parser's warnings; the engine's are in its decision. */
  readonly warnings: readonly string[];
  /** The newest freeze of the workspace when it was decided; absent in records of versions without freezes. */
  readonly freezeNumber?: number | undefined;
  /** The active freezes that matched; absent if none did. */
  readonly freezes?: readonly MatchingFreeze[] | undefined;
  /** What was drawn of the limits that applied; absent if none did. */
  readonly readings?: readonly LimitReading[] | undefined;
  /** What each reading counts, so that the counters can be rebuilt from the log. */
  readonly draws?: readonly RecordedDraw[] | undefined;
  /** The first key of the rotation chain; present if a limit that applied counts by key. */
  readonly firstKeyId?: string | undefined;
  /** One per evidence item; empty if nothing was verified. */
  readonly facts: readonly AttestationChecks[];
  readonly decision: EngineDecision;
  /** The intent's JSON text as received. */
  readonly intentText: string;
}

type FieldsBeforeIntent = Omit<RecordFields, 'intentText'>;

/** The engine's output in its only spelling, with all its members; replaying a record compares these bytes. */
function engineOutputText(decided: EngineDecision, texts: DecisionTexts): string {
  return (
    `{"decision":"${decided.decision}","evaluatedDecision":"${decided.evaluatedDecision}"` +
    `,"reason":${texts.reason},"reasonCode":"${decided.reasonCode}"` +
    `,"requiredControls":${texts.requiredControls},"controlEvaluations":${texts.controlEvaluations}` +
    `,"profileProvenance":${texts.profileProvenance},"requirementProvenance":${texts.requirementProvenance}` +
    `,"writePolicy":"${decided.writePolicy}","observeMode":${decided.observeMode},"enforced":${decided.enforced}` +
    `,"warn":${decided.warn},"failClosed":${decided.failClosed}` +
    (decided.validUntil === undefined ? '' : `,"validUntil":${decided.validUntil}`) +
    (texts.remediation === undefined ? '' : `,"remediation":${texts.remediation}`) +
    (decided.review === undefined ? '' : `,"review":${JSON.stringify(decided.review)}`) +
    (decided.facts === undefined ? '' : `,"facts":${JSON.stringify(decided.facts)}`) +
    (texts.limits === undefined ? '' : `,"limits":${texts.limits}`) +
    `,"warnings":${listText(decided.warnings)},"consumes":${listText(decided.consumes)}` +
    `,"restsOn":${listText(decided.restsOn)}}`
  );
}

/** Nearly all of them are empty. */
function listText(list: readonly unknown[]): string {
  return list.length === 0 ? '[]' : JSON.stringify(list);
}

/** Checks as stored: the facts that a source signed are one JSON text. */
type StoredChecks =
  | Exclude<AttestationChecks, { readonly kind: 'verified' }>
  | (Omit<AttestationChecks & { readonly kind: 'verified' }, 'facts'> & { readonly facts?: string });

/**
 * INVARIANT: the signer chooses the members of these facts. As one text, with its quotes escaped, they cannot
 * contain the text by which readers find the members of the record.
 */
function checksText(checks: readonly AttestationChecks[]): string {
  if (!checks.some(hasFacts)) return listText(checks);
  return JSON.stringify(
    checks.map((check) => (hasFacts(check) ? { ...check, facts: JSON.stringify(check.facts) } : check)),
  );
}

function hasFacts(
  check: AttestationChecks,
): check is AttestationChecks & { readonly kind: 'verified'; readonly facts: JsonObject } {
  return check.kind === 'verified' && check.facts !== undefined;
}

/** The checks in a record, from the JSON that it stores. */
export function checksFrom(stored: readonly StoredChecks[]): readonly AttestationChecks[] {
  return stored.map((check): AttestationChecks => {
    if (check.kind !== 'verified' || check.facts === undefined) return check as AttestationChecks;
    const read = parseStrictJson(UTF8.encode(check.facts));
    if (read.kind === 'malformed') throw new TypeError(`facts in the log cannot be read: ${read.message}`);
    return { ...check, facts: read.value as JsonObject };
  });
}

/**
 * The record around the intent, which is stored as received; nothing is canonicalized, because the stored bytes
 * are hashed. INVARIANT: the intent is one strict JSON object, so the whole is JSON.
 */
export function recordAround(
  fields: FieldsBeforeIntent,
  texts: DecisionTexts,
  intent: Uint8Array,
): RecordPieces {
  return { before: textBefore(fields, texts), intent, after: '}' };
}

function textBefore(fields: FieldsBeforeIntent, texts: DecisionTexts): string {
  return (
    `{"version":"${RECORD_VERSION}","engine":"${fields.engine}","decision_id":"${fields.decisionId}"` +
    `,"audit_id":"${fields.auditId}","request_id":${JSON.stringify(fields.requestId)}` +
    `,"traceId":"${fields.traceId}","workspace":"${fields.workspace}","keyId":"${fields.keyId}"` +
    `,"keyKind":"${fields.keyKind}","timestamp":"${fields.timestamp}"` +
    `,"policyRef":${fields.policyRef === null ? 'null' : `"${fields.policyRef}"`}` +
    `,"intentDigest":"${fields.intentDigest}","warnings":${listText(fields.warnings)}` +
    (fields.freezeNumber === undefined ? '' : `,"freezeNumber":${fields.freezeNumber}`) +
    (fields.freezes === undefined ? '' : `,"freezes":${JSON.stringify(fields.freezes)}`) +
    (fields.readings === undefined ? '' : `,"readings":${JSON.stringify(fields.readings)}`) +
    (fields.draws === undefined ? '' : `,"draws":${JSON.stringify(fields.draws)}`) +
    (fields.firstKeyId === undefined ? '' : `,"firstKeyId":${JSON.stringify(fields.firstKeyId)}`) +
    `,"facts":${checksText(fields.facts)},"decision":${engineOutputText(fields.decision, texts)}` +
    INTENT_MEMBER
  );
}

/** A record in one piece, off the hot path. */
export function recordBytes({ before, intent, after }: RecordPieces): Uint8Array {
  const start = UTF8.encode(before);
  const end = UTF8.encode(after);
  const bytes = new Uint8Array(start.length + intent.length + end.length);
  bytes.set(start);
  bytes.set(intent, start.length);
  bytes.set(end, start.length + intent.length);
  return bytes;
}

/** A record as stored: some names are spelled as on the wire. */
interface RecordJson extends Omit<FieldsBeforeIntent, 'decisionId' | 'auditId' | 'requestId' | 'facts'> {
  readonly version: string;
  readonly facts: readonly StoredChecks[];
  readonly decision_id: string;
  readonly audit_id: string;
  readonly request_id: string;
}

/** Reads a record from the log; `intentText` is the text as received. */
export function readRecord(bytes: Uint8Array): RecordFields {
  const text = TEXT.decode(bytes);
  const json = JSON.parse(text) as RecordJson & { readonly intent: unknown };
  const { version, decision_id, audit_id, request_id, facts, intent: _, ...fields } = json;
  if (version !== RECORD_VERSION) throw new TypeError(`a record of version ${version} cannot be read`);
  return {
    ...fields,
    decisionId: decision_id,
    auditId: audit_id,
    requestId: request_id,
    facts: checksFrom(facts),
    intentText: text.slice(text.indexOf(INTENT_MEMBER) + INTENT_MEMBER.length, -1),
  };
}

type Optional =
  | 'objectType'
  | 'objectRef'
  | 'field'
  | 'operation'
  | 'agentValue'
  | 'authorityValue'
  | 'workflowId'
  | 'runId';

/** An intent as it was sent: null means the same as omitted. */
export type RecordedIntent = Pick<WriteIntent, 'system'> & {
  readonly [member in Optional]?: WriteIntent[member] | null;
};

/**
 * The intent within a record, for callers that need nothing else. INVARIANT: the parser that read it for the decision
 * reads it here. V8 lets a caller mislead JSON.parse (nodejs/node#63785), and a decision must not vanish from lists
 * or escape pruning.
 */
export function recordedIntent(record: Uint8Array): RecordedIntent {
  const read = parseStrictJson(record.subarray(intentStart(record), -1));
  if (read.kind === 'malformed') throw new TypeError(`an intent in the log cannot be read: ${read.message}`);
  // INVARIANT: only what was parsed as an intent is ever recorded.
  return read.value as unknown as RecordedIntent;
}

function intentStart(record: Uint8Array): number {
  const member = INTENT_MEMBER_BYTES;
  const last = record.length - member.length;
  // Byte by byte takes 7 us, and `indexOf` with `every` 27; every decision that is indexed comes here.
  for (let at = 0; at <= last; at += 1) {
    let same = 0;
    while (same < member.length && record[at + same] === member[same]) same += 1;
    if (same === member.length) return at + same;
  }
  throw new TypeError('a record in the log holds no intent');
}
