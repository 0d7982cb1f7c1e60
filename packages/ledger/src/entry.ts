/**
 * The entries of a log that are not decisions. They alone have a `kind`, so that a decision's leaf keeps exactly its
 * published members, and neither can be read as the other.
 *
 * - `redemption`: a decision was redeemed, once, by this key at this time.
 * - `continuation`: the first entry of a log that continues after a restored backup, with the signed checkpoint of
 *   the log it continues from, word for word.
 * - `review`: something happened to a review, see `review-entry.ts`.
 * - `person`: somebody was invited, joined, was changed, reset or disabled, see `person-entry.ts`.
 * - a change of how decisions are made, see `noted-entry.ts`.
 *
 * `ENTRY_KINDS` is the list of them; the service writes no other.
 * An entry of any other kind comes from a newer version: it is hashed and counted, and otherwise ignored.
 */
import {
  isCanonical,
  isInstant,
  isLogName,
  isText,
  type Leaf,
  leafOf,
  type ParsedObject,
  parseJsonObject,
} from './leaf.ts';
import { isNotedKind, type LoggedNotedEntry, NOTED_KINDS, notedEntryOf } from './noted-entry.ts';
import { type LoggedPersonEntry, personEntryOf } from './person-entry.ts';
import { type LoggedReviewEntry, reviewEntryOf } from './review-entry.ts';
import { isDigest } from './sha256.ts';

/** Its time is when the decision was redeemed. */
export interface Redemption
  extends Pick<
    Leaf,
    'log' | 'decision_id' | 'workspace' | 'keyId' | 'keyKind' | 'timestamp' | 'intentDigest'
  > {
  readonly kind: 'redemption';
}

export interface Continuation {
  readonly kind: 'continuation';
  readonly log: string;
  readonly timestamp: string;
  /** The signed note of the checkpoint this log continues from. */
  readonly checkpoint: string;
}

/** An entry of a kind this version does not know. */
export interface OtherEntry {
  readonly kind: 'other';
  readonly log: string;
  /** The kind as the entry spells it. */
  readonly name: string;
  /** Null if the entry names no workspace. */
  readonly workspace: string | null;
  /** Null if the entry has no time in the log's form. */
  readonly timestamp: string | null;
}

export type Entry =
  | { readonly kind: 'decision'; readonly leaf: Leaf }
  | Redemption
  | Continuation
  | LoggedReviewEntry
  | LoggedPersonEntry
  | LoggedNotedEntry
  | OtherEntry;

export type EntryKind = Exclude<Entry['kind'], 'other'>;

/** Every kind of entry that this version writes and reads, in the order in which a verdict counts them. */
export const ENTRY_KINDS = [
  'decision',
  'redemption',
  'continuation',
  'review',
  'person',
  ...NOTED_KINDS,
] as const satisfies readonly EntryKind[];

/** INVARIANT: members in the order of their UTF-16 code units, which makes it the RFC 8785 form. */
export function redemptionText(entry: Redemption): string {
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
  if (!isInstant(timestamp) || !isDigest(intentDigest)) return null;
  return { kind: 'redemption', log, decision_id, workspace, keyId, keyKind, timestamp, intentDigest };
}

function continuationFromValue(value: Record<string, unknown>): Continuation | null {
  const { log, timestamp, checkpoint } = value;
  if (!isLogName(log) || !isInstant(timestamp)) return null;
  return isText(checkpoint) ? { kind: 'continuation', log, timestamp, checkpoint } : null;
}

/**
 * Little is required of it, but its spelling must be canonical, so that every reader reads the same. INVARIANT: a
 * decision with a `kind` is still refused, since a decision's leaf has none.
 */
function otherEntryOf({ text, value }: ParsedObject): OtherEntry | null {
  const { kind, log, workspace, timestamp } = value;
  if (!isText(kind) || kind === 'decision' || kind === 'other' || !isLogName(log)) return null;
  if (workspace !== undefined && !isText(workspace)) return null;
  if (!isCanonical(value, text)) return null;
  const time = isInstant(timestamp) ? timestamp : null;
  return { kind: 'other', log, name: kind, workspace: workspace ?? null, timestamp: time };
}

/** Null unless the bytes are exactly what one of the writers here or `leafBytes` writes, or of an unknown kind. */
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
    case 'review':
      return reviewEntryOf(parsed);
    case 'person':
      return personEntryOf(parsed);
    default:
      return isNotedKind(parsed.value.kind) ? notedEntryOf(parsed) : otherEntryOf(parsed);
  }
}
