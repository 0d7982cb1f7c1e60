/**
 * The log's account of a review: ids and public keys, never names or addresses. Each event is one entry, so that an
 * auditor can follow a review from its opening to its end without the database.
 */
import { type EventOf, isObject } from '@writecheck/contract';
import { actorOf, exactEntry, oneOf } from './exact-entry.ts';
import { isText } from './leaf.ts';
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
] as const satisfies readonly EventOf<'review'>[];

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
   * expiresAt. `asked`: keyId. `verdict`: verdict, controls, comment, identity, assertion. `commented`: the
   * digest of the text. `approved`: validUntil. `cancelled`: because.
   */
  readonly details: { readonly [name: string]: unknown };
}

/** An entry as stored; it names its log. */
export interface LoggedReviewEntry extends ReviewEntry {
  readonly log: string;
}

const isActor = actorOf(ACTORS);
const EXACT = exactEntry<LoggedReviewEntry>('review', {
  event: oneOf(EVENTS),
  review: isText,
  intentDigest: isDigest,
  by: (value) => value === null || isActor(value),
  details: isObject,
});
export const reviewEntryBytes = EXACT.bytes;
export const reviewEntryOf = EXACT.of;
