/** The leaf of a decision: what the log commits to, and its only spelling in bytes. */
import { canonicalJson, DECISIONS, type Decision } from '@writecheck/contract';
import { parseLogInstant } from './instant.ts';
import { isDigest } from './sha256.ts';

export type CheckingKeyKind = 'development' | 'live';

export interface Leaf {
  readonly log: string;
  readonly decision_id: string;
  readonly audit_id: string;
  readonly workspace: string;
  readonly keyId: string;
  readonly keyKind: CheckingKeyKind;
  readonly timestamp: string;
  readonly decision: Decision;
  readonly evaluatedDecision: Decision;
  readonly reason_code: string;
  readonly intentDigest: string;
  /** The bundle's digest; null if the workspace has no bundle. */
  readonly policyRef: string | null;
  /** Null unless the decision is allow. */
  readonly validUntil: string | null;
  /** `sha256:` of the record's stored bytes. */
  readonly recordDigest: string;
}

/**
 * The RFC 8785 form of a leaf.
 * INVARIANT: the members below are in the order of their UTF-16 code units, so that plain `JSON.stringify` writes
 * what a canonicaliser would, without sorting.
 */
export function leafText(leaf: Leaf): string {
  return JSON.stringify({
    audit_id: leaf.audit_id,
    decision: leaf.decision,
    decision_id: leaf.decision_id,
    evaluatedDecision: leaf.evaluatedDecision,
    intentDigest: leaf.intentDigest,
    keyId: leaf.keyId,
    keyKind: leaf.keyKind,
    log: leaf.log,
    policyRef: leaf.policyRef,
    reason_code: leaf.reason_code,
    recordDigest: leaf.recordDigest,
    timestamp: leaf.timestamp,
    validUntil: leaf.validUntil,
    workspace: leaf.workspace,
  });
}

const encoder = new TextEncoder();

export function leafBytes(leaf: Leaf): Uint8Array {
  return encoder.encode(leafText(leaf));
}

const LOG_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** A log's name becomes part of a checkpoint's first line and of a key's name, so it must be one plain word. */
export function isLogName(value: unknown): value is string {
  return typeof value === 'string' && LOG_NAME.test(value);
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed();
}

/** A time in the log's one form. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && parseLogInstant(value) !== null;
}

/** Whether the text is the RFC 8785 form of the value. */
export function isCanonical(value: unknown, text: string): boolean {
  try {
    return canonicalJson(value) === text;
  } catch {
    // A lone surrogate has no canonical form.
    return false;
  }
}

function isDecision(value: unknown): value is Decision {
  return DECISIONS.some((known) => known === value);
}

/**
 * The leaf that a JSON value represents; null if a member is missing or of another type. Spelling is not judged here.
 */
function leafFromValue(value: Record<string, unknown>): Leaf | null {
  const { log, decision_id, audit_id, workspace, keyId, keyKind, timestamp, decision } = value;
  const { evaluatedDecision, reason_code, intentDigest, policyRef, validUntil, recordDigest } = value;
  if (!isLogName(log) || !isText(decision_id) || !isText(audit_id) || !isText(workspace)) return null;
  if (!isText(keyId) || (keyKind !== 'development' && keyKind !== 'live')) return null;
  if (!isInstant(timestamp) || !isDecision(decision) || !isDecision(evaluatedDecision)) return null;
  if (!isText(reason_code) || !isDigest(intentDigest) || !isDigest(recordDigest)) return null;
  if (policyRef !== null && !isDigest(policyRef)) return null;
  if (validUntil !== null && !isInstant(validUntil)) return null;
  return {
    log,
    decision_id,
    audit_id,
    workspace,
    keyId,
    keyKind,
    timestamp,
    decision,
    evaluatedDecision,
    reason_code,
    intentDigest,
    policyRef,
    validUntil,
    recordDigest,
  };
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A JSON object with its original text, to compare with the one right spelling. */
export interface ParsedObject {
  readonly text: string;
  readonly value: Record<string, unknown>;
}

export function parseJsonObject(bytes: Uint8Array): ParsedObject | null {
  try {
    const text = decoder.decode(bytes);
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return { text, value: value as Record<string, unknown> };
  } catch {
    return null;
  }
}

/** Null unless the value's original text is exactly what `leafText` writes. */
export function leafOf(parsed: ParsedObject): Leaf | null {
  const leaf = leafFromValue(parsed.value);
  return leaf !== null && leafText(leaf) === parsed.text ? leaf : null;
}

/** Null unless the bytes are exactly what `leafBytes` writes: no other member, order, space or escape. */
export function parseLeaf(bytes: Uint8Array): Leaf | null {
  const parsed = parseJsonObject(bytes);
  return parsed === null ? null : leafOf(parsed);
}
