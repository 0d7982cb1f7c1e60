/**
 * The log's account of a review: ids and public keys, never names or addresses. Each event is one entry, so that an
 * auditor can follow a review from its opening to its end without the database.
 */
import { canonicalJson, isObject } from '@writecheck/contract';
import { parseLogInstant } from './instant.ts';
import { isLogName, isText, type ParsedObject } from './leaf.ts';
import { isDigest } from './sha256.ts';

const EVENTS = [
  'opened',
  'asked',
  'verdict',
  'withdrawn',
  'commented',
  'approved',
  'rejected',
  'expired',
  'cancelled',
] as const;

export type ReviewEvent = (typeof EVENTS)[number];

const ACTORS = ['person', 'owner_key', 'checking_key'] as const;

export interface ReviewEntry {
  readonly kind: 'review';
  readonly event: ReviewEvent;
  /** `rev_...` */
  readonly review: string;
  readonly workspace: string;
  readonly intentDigest: string;
  readonly timestamp: string;
  /** Null if nobody did it: its time ended, or its rules changed. */
  readonly by: { readonly kind: (typeof ACTORS)[number]; readonly id: string } | null;
  /**
   * What is needed to understand and verify the event. `opened`: decisionId, keyKind, controls with their rules,
   * expiresAt, reopens. `asked`: keyId. `verdict`: verdict, controls, comment, identity, assertion. `commented`: the
   * digest of the text. `approved`: validUntil. `cancelled`: because.
   */
  readonly details: { readonly [name: string]: unknown };
}

/** An entry as stored; it names its log. */
export interface LoggedReviewEntry extends ReviewEntry {
  readonly log: string;
}

/** The RFC 8785 form, member by member so that nothing else in a caller's object gets into the log. */
function reviewEntryText(entry: LoggedReviewEntry): string {
  return canonicalJson({
    by: entry.by === null ? null : { id: entry.by.id, kind: entry.by.kind },
    details: entry.details,
    event: entry.event,
    intentDigest: entry.intentDigest,
    kind: entry.kind,
    log: entry.log,
    review: entry.review,
    timestamp: entry.timestamp,
    workspace: entry.workspace,
  });
}

const encoder = new TextEncoder();

/** Throws if `details` holds anything that is not JSON. */
export function reviewEntryBytes(entry: LoggedReviewEntry): Uint8Array {
  return encoder.encode(reviewEntryText(entry));
}

/** Undefined if the value does not name an actor in the one valid form. */
function actorFrom(value: unknown): ReviewEntry['by'] | undefined {
  if (value === null) return null;
  if (!isObject(value) || !isText(value.id)) return undefined;
  const kind = ACTORS.find((known) => known === value.kind);
  return kind === undefined ? undefined : { kind, id: value.id };
}

function fromValue(value: Record<string, unknown>): LoggedReviewEntry | null {
  const { log, review, workspace, intentDigest, timestamp, details } = value;
  const event = EVENTS.find((known) => known === value.event);
  const by = actorFrom(value.by);
  if (event === undefined || by === undefined || !isObject(details)) return null;
  if (!isLogName(log) || !isText(review) || !isText(workspace) || !isDigest(intentDigest)) return null;
  if (!isText(timestamp) || parseLogInstant(timestamp) === null) return null;
  return { kind: 'review', log, event, review, workspace, intentDigest, timestamp, by, details };
}

/** Null unless the text is exactly what `reviewEntryBytes` writes. */
export function reviewEntryOf({ text, value }: ParsedObject): LoggedReviewEntry | null {
  const entry = fromValue(value);
  if (entry === null) return null;
  try {
    return reviewEntryText(entry) === text ? entry : null;
  } catch {
    // A lone surrogate has no canonical form.
    return null;
  }
}
