/** A review as its readers see it: owners see all of it, a checking key what concerns its own request. */
import type { Review as ApiReview } from '@writecheck/api';
import { canonicalIntent, type DigestInput, isoTime, parseStrictJson } from '@writecheck/contract';
import type { FoundPerson } from '@writecheck/store/port/people';
import { approvalToUse, type ControlOf, type EpochOf, evidenceOf, isOwnApproval } from './approval.ts';
import type { Commenter } from './author.ts';
import type { Earlier } from './like-writes.ts';
import { isExcludedByCaller } from './people-standing.ts';
import type { Review, ReviewedWrite } from './review.ts';

export type Viewer =
  | { readonly kind: 'owner' }
  | {
      readonly kind: 'checking_key';
      /** The key's own id and those of the keys it was rotated from. */
      readonly keyIds: ReadonlySet<string>;
      /** The people who hold or made one of these keys: their approvals do not count for it. */
      readonly owners: readonly string[];
    };

export interface Surroundings {
  readonly controlOf: ControlOf;
  readonly epochOf: EpochOf;
  /** Looked up now, since the log and the review store only ids. */
  readonly nameOf: (who: Commenter) => string | null;
  readonly earlier: readonly Earlier[];
  /** The people among whom a name given in `onBehalfOf` is looked up. */
  readonly people: readonly FoundPerson[];
  /** The URL of the page that shows the review to a person. */
  readonly url: string;
  readonly nowMs: number;
}

/** A review as the API shows it. */
export type ShownReview = ApiReview;

/** `review` is settled. */
export function showReview(review: Review, viewer: Viewer, surroundings: Surroundings): ShownReview {
  const { nameOf, controlOf, epochOf, nowMs } = surroundings;
  const isOwner = viewer.kind === 'owner';
  const named = <Who extends Commenter>(by: Who) => (isOwner ? { by: { ...by, name: nameOf(by) } } : {});
  const { write } = review;
  const approval = review.state === 'approved' ? approvalToUse(review, controlOf, epochOf, nowMs) : null;
  const because = approval === null ? review.because : approval === 'good' ? null : approval;
  return {
    id: review.id,
    state: review.state,
    ...(because !== null && { because }),
    decisionId: write.decisionId,
    intentDigest: write.intentDigest,
    intent: shownIntent(write, viewer),
    keyKind: write.keyKind,
    controls: review.controls.map(({ controlId, rule: { groups, approvals, identity, selfReview } }) => ({
      controlId,
      groups,
      approvals,
      identity,
      selfReview,
    })),
    alsoNeeded: write.alsoNeeded,
    verdicts: review.verdicts.map(({ verdict, by, identity, controls, comment, atMs }) => ({
      verdict,
      ...named(by),
      identity,
      controls,
      comment,
      at: isoTime(atMs),
    })),
    comments: review.comments.map(({ text, by, atMs }) => ({ text, ...named(by), at: isoTime(atMs) })),
    askedBy: review.askedBy
      .filter(({ keyId }) => isOwner || viewer.keyIds.has(keyId))
      .map(({ keyId, justification, onBehalfOf, externalRef, atMs }) => ({
        keyId,
        keyName: nameOf({ kind: 'checking_key', id: keyId }),
        justification,
        onBehalfOf,
        externalRef,
        at: isoTime(atMs),
      })),
    ...(isOwner && {
      different: review.terms.different,
      confirms: review.terms.confirms,
      excludedByCaller: excludedIn(review, surroundings.people),
      earlier: surroundings.earlier,
    }),
    openedAt: isoTime(review.openedAtMs),
    expiresAt: isoTime(review.expiresAtMs),
    resolvedAt: momentOrNull(review.resolvedAtMs),
    validUntil: momentOrNull(review.validUntilMs),
    ...(approval === 'good' && isGoodFor(viewer, review) && { evidence: evidenceOf(review) }),
    url: surroundings.url,
  };
}

function isGoodFor(viewer: Viewer, review: Review): boolean {
  if (viewer.kind === 'owner') return false;
  return !review.controls.some((control) => isOwnApproval(review, control, viewer.owners));
}

/** Those whom an `onBehalfOf` excludes from approving; they may still reject and cancel. */
function excludedIn(review: Review, people: readonly FoundPerson[]) {
  if (review.controls.every(({ rule }) => rule.selfReview)) return [];
  return people.filter((person) => isExcludedByCaller(person, review)).map(({ id, name }) => ({ id, name }));
}

/** Another key may have asked first: this key must not see what the other sent besides the write. */
function shownIntent({ intentText }: ReviewedWrite, viewer: Viewer): ApiReview['intent'] {
  const whole = strictly(intentText);
  return viewer.kind === 'owner' ? whole : strictly(canonicalIntent(whole as DigestInput));
}

function strictly(text: string): ApiReview['intent'] {
  const parsed = parseStrictJson(Buffer.from(text));
  // INVARIANT: this parser parsed the intent before it was decided.
  if (parsed.kind === 'malformed')
    throw new TypeError(`the intent of a review cannot be read: ${parsed.message}`);
  return parsed.value as ApiReview['intent'];
}

function momentOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
