/** The interface of a commit: what it makes durable, and the outcome of each request in it. */
import type { ConsumedAttestation } from '@writecheck/contract';
import type { Leaf, RecordPieces } from '@writecheck/ledger/log';
import type { EndedCode } from './acting.ts';
import type { CheckingKeyKind } from './keys.ts';
import type { EntryLimits, MovedLimits } from './limits.ts';

/** The fields of a log leaf, without those that the store adds. */
type LeafFields = Omit<Leaf, 'log' | 'workspace' | 'keyKind' | 'recordDigest'>;

/** The conditions under which an allow may be replayed; null if nothing in the response allows. */
export type ReplayableWhile = {
  readonly validUntilMs: number;
  readonly policyRef: string | null;
  readonly restsOn: readonly ConsumedAttestation[];
  /** Missing in responses kept by a program without freezes. */
  readonly freezeNumber?: number;
  /** The one allow, if it was taken. With a claim, no response is kept: it is rebuilt from the record. */
  readonly taken?: { readonly decisionId: string; readonly redeemedAt: string; readonly claim?: string };
} | null;

/** Binds an `Idempotency-Key` to this request's response, in the same commit. */
export interface IdempotencyBinding {
  readonly key: string;
  /** The family of the path, a colon, and the SHA-256 of the body in hex. */
  readonly requestDigest: string;
  /** From the `Redeem` header; null without it. */
  readonly claim: string | null;
  readonly expiresAtMs: number;
  /** `ReplayableWhile` in JSON, as stored: a thread that commits many requests does not parse it. */
  readonly replayableWhile: string;
  /** What is kept: the decision and its id, from whose record the response is made again. Empty if the allow is taken. */
  readonly response: string;
}

/** A bundle as a commit compares it. */
export interface DecidingBundle {
  readonly digest: string | null;
  readonly hasLimits: boolean;
}

/** The decision of a check, to be made durable. */
export interface CommitRequest {
  readonly workspace: string;
  /** The key that asks: nothing is committed if it was revoked, its holder is disabled or its workspace not active. */
  readonly keyId: string;
  readonly keyKind: CheckingKeyKind;
  /** The number of the newest freeze or lift at the decision: if there is a newer one, nothing is committed. */
  readonly freezeNumber: number;
  /** The bundle that decided it: if another one runs by now and either has limits, nothing is committed. */
  readonly bundle: DecidingBundle;
  /** Checks a month for this kind of key in this workspace; null if unlimited. */
  readonly quota: number | null;
  /** When it was decided; this also determines the month it is charged to. */
  readonly atMs: number;
  /** The audit record as JSON. Its bytes are what is stored and hashed. */
  readonly record: RecordPieces;
  readonly leaf: LeafFields;
  /** Attestations this allow uses up: committed only if all of them are still unused. */
  readonly consumes: readonly ConsumedAttestation[];
  /** Attestations that this allow depends on: it is committed only if none of them is revoked. */
  readonly restsOn: readonly ConsumedAttestation[];
  /** Present if limits apply: committed only if the counters still allow the same decision. */
  readonly limits?: EntryLimits;
  /** An allow that is redeemed in the same commit. */
  readonly redeems?: { readonly decisionId: string; readonly intentDigest: string };
  readonly idempotency: IdempotencyBinding | null;
}

declare const COMMITTED: unique symbol;
/**
 * Proof that a decision's record is durable. INVARIANT: only a store makes one, after its commit is synced; a response
 * can be released only against it.
 */
export interface Committed {
  readonly [COMMITTED]: true;
  readonly kind: 'committed';
  readonly decisionId: string;
  readonly log: string;
  readonly leafIndex: number;
  /** Checks charged this month for this kind of key, including this one. */
  readonly used: number;
  /** Set if the counters moved since it was decided: the record holds these, and so must the response. */
  readonly limits?: FoundLimits;
}

/** States in JSON, and what each counter holds after this entry. */
export type FoundLimits = Pick<MovedLimits, 'states' | 'held'>;

export interface StoredAnswer {
  /** That of the request, or an `untakenDigest`. */
  readonly requestDigest: string;
  readonly expiresAtMs: number;
  readonly replayableWhile: ReplayableWhile;
  /** As it was kept; empty if the allow was taken, or if it was pruned. */
  readonly response: Uint8Array;
}

/** How the digest of a row begins if another claim may use its key. */
export const UNTAKEN = 'untaken:';

/** The digest under which a pause or block is kept that was asked for with a claim. */
export function untakenDigest(requestDigest: string, claim: string): string {
  return `${UNTAKEN}${requestDigest}:${claim}`;
}

/**
 * Whether a kept response keeps its key from this request. INVARIANT: an allow always does. A pause or block that was
 * asked for with a claim took nothing, so any other request with a claim is decided, and then has the key.
 */
export function holdsKey(
  { requestDigest: kept }: Pick<StoredAnswer, 'requestDigest'>,
  { requestDigest, claim }: Pick<IdempotencyBinding, 'requestDigest' | 'claim'>,
): boolean {
  return claim === null || !kept.startsWith(UNTAKEN) || kept === untakenDigest(requestDigest, claim);
}

/** Whether a kept response is the one to this request. */
export function isResponseTo(
  { requestDigest: kept }: Pick<StoredAnswer, 'requestDigest'>,
  requestDigest: string,
): boolean {
  return kept === requestDigest || kept.startsWith(untakenDigest(requestDigest, ''));
}

const DECISION_ID = /"decision_id":"(dec_[0-9a-f]{32})"/;

/** The decision in a kept response; undefined if it is that of another kind of request, or empty. */
export function decisionIn(response: Uint8Array): string | undefined {
  const text = Buffer.from(response.buffer, response.byteOffset, response.length).toString('latin1');
  return DECISION_ID.exec(text)?.[1];
}

export type CommitResult =
  | Committed
  /** The month is used up: nothing was recorded. `used` counts its checks. */
  | { readonly kind: 'quota_exceeded'; readonly used: number }
  /** Another request used this idempotency key first: nothing was recorded or charged. */
  | { readonly kind: 'twin'; readonly stored: StoredAnswer }
  /** The workspace may not store it today: nothing was recorded or charged. */
  | { readonly kind: 'stored_enough' }
  /** The basis of the decision has changed since it was read: nothing was recorded; decide again, under
   * the bundle of the digest `running` if that is set. */
  | { readonly kind: 'decide_again'; readonly running?: string | null }
  /** The key was revoked, or its workspace suspended or deleted, since it was authenticated: nothing was recorded or
   * charged. */
  | { readonly kind: 'ended'; readonly code: EndedCode };
