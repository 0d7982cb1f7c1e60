/**
 * The entries of a log that are not decisions. They alone carry a `kind`, so that a decision's leaf keeps exactly
 * the members that are published for it, and neither can be read as the other.
 *
 * - `redemption`: a decision was redeemed, once, by this key at this time.
 * - `continuation`: the first entry of a log that goes on from a restored backup, holding the signed checkpoint
 *   of the log it continues from, word for word.
 */
import { parseLogInstant } from './instant.ts';
import { type CheckingKeyKind, isLogName, isText, type Leaf, leafOf, parseJsonObject } from './leaf.ts';
import { isDigest } from './sha256.ts';

export interface Redemption {
  readonly kind: 'redemption';
  readonly log: string;
  readonly decision_id: string;
  readonly workspace: string;
  readonly keyId: string;
  readonly keyKind: CheckingKeyKind;
  /** When it was redeemed. */
  readonly timestamp: string;
  readonly intentDigest: string;
}

export interface Continuation {
  readonly kind: 'continuation';
  readonly log: string;
  readonly timestamp: string;
  /** The signed note of the checkpoint this log continues from. */
  readonly checkpoint: string;
}

export type Entry = { readonly kind: 'decision'; readonly leaf: Leaf } | Redemption | Continuation;

/** INVARIANT: members in the order of their UTF-16 code units, which makes it the RFC 8785 form. */
function redemptionText(entry: Redemption): string {
  return JSON.stringify({
    decision_id: entry.decision_id,
    intentDigest: entry.intentDigest,
    keyId: entry.keyId,
    keyKind: entry.keyKind,
    kind: entry.kind,
    log: entry.log,
    timestamp: entry.timestamp,
    workspace: entry.workspace,
  });
}

/** INVARIANT: members in the order of their UTF-16 code units, which makes it the RFC 8785 form. */
function continuationText(entry: Continuation): string {
  return JSON.stringify({
    checkpoint: entry.checkpoint,
    kind: entry.kind,
    log: entry.log,
    timestamp: entry.timestamp,
  });
}

const encoder = new TextEncoder();

export function redemptionBytes(entry: Redemption): Uint8Array {
  return encoder.encode(redemptionText(entry));
}

export function continuationBytes(entry: Continuation): Uint8Array {
  return encoder.encode(continuationText(entry));
}

function redemptionFromValue(value: Record<string, unknown>): Redemption | null {
  const { log, decision_id, workspace, keyId, keyKind, timestamp, intentDigest } = value;
  if (!isLogName(log) || !isText(decision_id) || !isText(workspace) || !isText(keyId)) return null;
  if (keyKind !== 'development' && keyKind !== 'live') return null;
  if (!isText(timestamp) || parseLogInstant(timestamp) === null || !isDigest(intentDigest)) return null;
  return { kind: 'redemption', log, decision_id, workspace, keyId, keyKind, timestamp, intentDigest };
}

function continuationFromValue(value: Record<string, unknown>): Continuation | null {
  const { log, timestamp, checkpoint } = value;
  if (!isLogName(log) || !isText(timestamp) || parseLogInstant(timestamp) === null) return null;
  return isText(checkpoint) ? { kind: 'continuation', log, timestamp, checkpoint } : null;
}

/** Null unless the bytes are exactly what one of the writers here or `leafBytes` writes. */
export function parseEntry(bytes: Uint8Array): Entry | null {
  const parsed = parseJsonObject(bytes);
  if (parsed === null) return null;
  switch (parsed.value.kind) {
    case undefined: {
      const leaf = leafOf(parsed);
      return leaf === null ? null : { kind: 'decision', leaf };
    }
    case 'redemption': {
      const entry = redemptionFromValue(parsed.value);
      return entry !== null && redemptionText(entry) === parsed.text ? entry : null;
    }
    case 'continuation': {
      const entry = continuationFromValue(parsed.value);
      return entry !== null && continuationText(entry) === parsed.text ? entry : null;
    }
    default:
      return null;
  }
}
