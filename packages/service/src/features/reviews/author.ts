/** The author of an act on a review, and the controls that a person or an owner key may decide. */
import type { ReviewRule } from '@writecheck/engine';

export type Identity = ReviewRule['identity'];

/** The author of a verdict. People sign in; an owner key stands for the workspace as a whole. */
export interface Author {
  readonly kind: 'person' | 'owner_key';
  readonly id: string;
}

export interface Commenter {
  readonly kind: Author['kind'] | 'checking_key';
  readonly id: string;
}

/** The members of a review that tell whether somebody asked for it, and whether their passkey may sign for it. */
export interface ReviewOrigin {
  readonly askedBy: readonly { readonly keyId: string; readonly onBehalfOf: string | null }[];
  readonly openedBy: readonly string[];
  readonly openedAtMs: number;
}

/** The rights of an author at one moment; looked up again whenever a verdict is counted. */
export interface Standing {
  /** Whether they have a role that reviews. */
  readonly mayReview: boolean;
  /** Whether they may do what an owner key may. */
  readonly isOwner: boolean;
  readonly groups: readonly string[];
  /** The strongest identity that their verdict on this review can prove. */
  readonly identity: Identity;
  /** Whether this person asked for this review, or holds or made a key that asked. */
  readonly hasAsked: boolean;
  /**
   * Whether an `onBehalfOf` is their address. Only the caller vouches for it, so it bars approving and nothing
   * else.
   */
  readonly isExcludedByCaller: boolean;
  /** The person's; a verdict from an earlier epoch does not count. Null for an owner key. */
  readonly epoch: number | null;
}

/**
 * Null if the person is unknown or not active, or the owner key is revoked. An owner key belongs to no group, proves no
 * person, and never reviews its own request, because self-review is about people.
 */
export type StandingOf = (author: Author, review: ReviewOrigin) => Standing | null;

export const OWNER_KEY_STANDING: Standing = {
  mayReview: true,
  isOwner: true,
  groups: [],
  identity: 'any',
  hasAsked: false,
  isExcludedByCaller: false,
  epoch: null,
};

/** All owner keys of a workspace are one author. */
export function isSameAuthor(one: Author, other: Author): boolean {
  return one.kind === other.kind && (one.kind === 'owner_key' || one.id === other.id);
}

const RANK: { readonly [identity in Identity]: number } = { any: 0, person: 1, passkey: 2 };

export function isInGroup({ groups }: ReviewRule, standing: Standing): boolean {
  return groups === null || groups.some((group) => standing.groups.includes(group));
}

export function mayDespiteAsking(
  { selfReview }: ReviewRule,
  { hasAsked, isExcludedByCaller }: Standing,
  verdict: 'approve' | 'reject',
): boolean {
  return selfReview || !(hasAsked || (isExcludedByCaller && verdict === 'approve'));
}

export function isStrongEnough({ identity }: ReviewRule, proven: Identity): boolean {
  return RANK[proven] >= RANK[identity];
}
