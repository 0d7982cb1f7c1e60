/** The audit record: everything needed to decide again offline and get the same engine output to the byte. */
import type { DecisionTexts, EngineDecision } from '@writecheck/contract';
import type { AttestationFacts } from '@writecheck/engine';
import type { CheckingKeyKind, RecordPieces } from '../store/port.ts';
import { INTENT_MEMBER } from '../store/recorded-intent.ts';

export const RECORD_VERSION = 'writecheck.record.v1';
/**
 * Changes whenever the engine may decide anything differently. 2: what observes only watches. 3: a person may
 * approve a control or confirm authority, and a profile may permit.
 */
export const ENGINE_VERSION = '3';

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
  /** One per evidence item; empty where nothing was verified. */
  readonly facts: readonly AttestationFacts[];
  readonly decision: EngineDecision;
  /** The intent's JSON text as received. */
  readonly intentText: string;
}

type FieldsBeforeIntent = Omit<RecordFields, 'engine' | 'intentText'>;

/**
 * The engine's output in its one spelling, with every member it has. INVARIANT: whoever decides a record again
 * spells the result with this function and compares the bytes.
 */
export const engineOutputText = (decided: EngineDecision, texts: DecisionTexts): string =>
  `{"decision":"${decided.decision}","evaluatedDecision":"${decided.evaluatedDecision}"` +
  `,"reason":${texts.reason},"reasonCode":"${decided.reasonCode}"` +
  `,"requiredControls":${texts.requiredControls},"controlEvaluations":${texts.controlEvaluations}` +
  `,"profileProvenance":${texts.profileProvenance},"requirementProvenance":${texts.requirementProvenance}` +
  `,"writePolicy":"${decided.writePolicy}","observeMode":${decided.observeMode},"enforced":${decided.enforced}` +
  `,"warn":${decided.warn},"failClosed":${decided.failClosed}` +
  (decided.validUntil === undefined ? '' : `,"validUntil":${decided.validUntil}`) +
  (decided.remediation === undefined ? '' : `,"remediation":${JSON.stringify(decided.remediation)}`) +
  (decided.review === undefined ? '' : `,"review":${JSON.stringify(decided.review)}`) +
  `,"warnings":${listText(decided.warnings)},"consumes":${listText(decided.consumes)}` +
  `,"restsOn":${listText(decided.restsOn)}}`;

/** Nearly all of them are empty. */
const listText = (list: readonly unknown[]): string => (list.length === 0 ? '[]' : JSON.stringify(list));

/**
 * The record around the intent, which is placed as it came; nothing is canonicalised, because what is hashed is the
 * bytes that are stored. INVARIANT: the intent is one strict JSON object, so the whole is JSON.
 */
export const recordAround = (
  fields: FieldsBeforeIntent,
  texts: DecisionTexts,
  intent: Uint8Array,
  engine = ENGINE_VERSION,
): RecordPieces => ({ before: textBefore(fields, texts, engine), intent, after: '}' });

const textBefore = (fields: FieldsBeforeIntent, texts: DecisionTexts, engine: string): string =>
  `{"version":"${RECORD_VERSION}","engine":"${engine}","decision_id":"${fields.decisionId}"` +
  `,"audit_id":"${fields.auditId}","request_id":${JSON.stringify(fields.requestId)}` +
  `,"traceId":"${fields.traceId}","workspace":"${fields.workspace}","keyId":"${fields.keyId}"` +
  `,"keyKind":"${fields.keyKind}","timestamp":"${fields.timestamp}"` +
  `,"policyRef":${fields.policyRef === null ? 'null' : `"${fields.policyRef}"`}` +
  `,"intentDigest":"${fields.intentDigest}","warnings":${listText(fields.warnings)}` +
  `,"facts":${listText(fields.facts)},"decision":${engineOutputText(fields.decision, texts)}` +
  INTENT_MEMBER;

const TEXT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface RecordJson {
  readonly version: string;
  readonly engine: string;
  readonly decision_id: string;
  readonly audit_id: string;
  readonly request_id: string;
  readonly traceId: string;
  readonly workspace: string;
  readonly keyId: string;
  readonly keyKind: CheckingKeyKind;
  readonly timestamp: string;
  readonly policyRef: string | null;
  readonly intentDigest: string;
  readonly warnings: readonly string[];
  readonly facts: readonly AttestationFacts[];
  readonly decision: EngineDecision;
}

/** Reads a record as it lies in the log; `intentText` is again the text as received. */
export const readRecord = (bytes: Uint8Array): RecordFields => {
  const text = TEXT.decode(bytes);
  const json = JSON.parse(text) as RecordJson;
  if (json.version !== RECORD_VERSION)
    throw new TypeError(`a record of version ${json.version} cannot be read`);
  const intentText = text.slice(text.indexOf(INTENT_MEMBER) + INTENT_MEMBER.length, -1);
  return {
    engine: json.engine,
    decisionId: json.decision_id,
    auditId: json.audit_id,
    requestId: json.request_id,
    traceId: json.traceId,
    workspace: json.workspace,
    keyId: json.keyId,
    keyKind: json.keyKind,
    timestamp: json.timestamp,
    policyRef: json.policyRef,
    intentDigest: json.intentDigest,
    warnings: json.warnings,
    facts: json.facts,
    decision: json.decision,
    intentText,
  };
};
