/** Opens a review or joins the existing one, and reopens a review that ended without an approval. */
import type { ReviewRule } from '@writecheck/engine';
import { type Refusal, refuse } from '../refusal.ts';
import { approvalToUse, type ControlOf, type EpochOf, isOwnApproval } from './approval.ts';
import type { Commenter, StandingOf } from './author.ts';
import { withReason } from './cancel-review.ts';
import { mayDecide } from './count-approvals.ts';
import { entryOf, openedEntry } from './entries.ts';
import { type Changed, changed, reviewClosed, tooMany, type Unchanged, unchanged } from './outcome.ts';
import type { Asker, Review, ReviewedControl, ReviewedWrite } from './review.ts';
import { outdate } from './settle-review.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
export const ASKERS_MAX = 20;

export interface Asked {
  readonly write: ReviewedWrite;
  /** The controls that the decision says a person may satisfy, in its order. */
  readonly controlIds: readonly string[];
  /** The key that made the decision, whoever opens the review. */
  readonly asker: Asker;
  readonly by: Commenter;
}

function peopleOf({ kind, id }: Commenter): readonly string[] {
  return kind === 'person' ? [id] : [];
}

/** The running policy and the people at this moment. */
export interface Circumstances {
  readonly controlOf: ControlOf;
  readonly standingOf: StandingOf;
  readonly epochOf: EpochOf;
  /** The people who hold or made this key, or one it was rotated from. */
  readonly ownersOfKey: (keyId: string) => readonly string[];
  readonly nowMs: number;
  readonly newId: () => string;
}

export type Opened =
  /** `also` is what has to change with it: an open review that this one replaces. */
  | { readonly kind: 'opened'; readonly outcome: Changed; readonly also: readonly Changed[] }
  | { readonly kind: 'found'; readonly outcome: Changed | Unchanged }
  | Refusal;

/** `existing` are the settled reviews of this write and kind of key, newest first. */
export function openReview(asked: Asked, existing: readonly Review[], circumstances: Circumstances): Opened {
  const { nowMs } = circumstances;
  const controls = controlsUnder(asked.controlIds, circumstances.controlOf);
  if ('kind' in controls) return controls;
  const covering = existing.filter((review) => covers(review, asked.controlIds));
  const found =
    covering.find(({ state }) => state === 'open') ??
    covering.find((review) => isGood(review, asked, circumstances)) ??
    covering.find(({ state, resolvedAtMs }) => state === 'rejected' && nowMs - resolvedAtMs! < DAY_MS);
  if (found !== undefined) return joined(found, asked, nowMs);
  const narrower = existing.filter(({ state }) => state === 'open').map((review) => outdate(review, nowMs));
  const review = newReview(circumstances, {
    write: asked.write,
    controls,
    askedBy: [asked.asker],
    openedBy: peopleOf(asked.by),
    comments: [],
    reopens: null,
  });
  return {
    kind: 'opened',
    outcome: { kind: 'changed', review, entries: [openedEntry(review, asked.by, nowMs)] },
    also: narrower,
  };
}

function covers({ controls }: Review, controlIds: readonly string[]): boolean {
  return controlIds.every((id) => controls.some(({ controlId }) => controlId === id));
}

/** For the key that asks: what its holder or maker approved would be refused at the check. */
function isGood(
  review: Review,
  { by, asker }: Asked,
  { controlOf, epochOf, ownersOfKey, nowMs }: Circumstances,
): boolean {
  if (review.state !== 'approved') return false;
  if (approvalToUse(review, controlOf, epochOf, nowMs) !== 'good') return false;
  const keyOwners = ownersOfKey(by.kind === 'checking_key' ? by.id : asker.keyId);
  return !review.controls.some((control) => isOwnApproval(review, control, keyOwners));
}

/** Asking adds the caller to those who asked, even if the review is closed, so that the key sees it. */
function joined(review: Review, { asker, by }: Asked, nowMs: number): Opened {
  const hasAsked = review.askedBy.some(
    ({ keyId, onBehalfOf }) => keyId === asker.keyId && onBehalfOf === asker.onBehalfOf,
  );
  const openedBy = [...new Set([...review.openedBy, ...peopleOf(by)])];
  if (hasAsked && openedBy.length === review.openedBy.length) {
    return { kind: 'found', outcome: unchanged(review) };
  }
  if (!hasAsked && review.askedBy.length >= ASKERS_MAX) {
    return tooMany(`${ASKERS_MAX} have already asked for this review; wait until it ends`);
  }
  const askedBy = hasAsked ? review.askedBy : [...review.askedBy, asker];
  const outcome = changed(review, { askedBy, openedBy }, (added) => [
    entryOf(added, 'asked', by, nowMs, { keyId: asker.keyId }),
  ]);
  return { kind: 'found', outcome };
}

const NOT_YOURS_TO_REOPEN: Refusal = refuse(
  'insufficient_scope',
  'only an owner or somebody who could approve this review may reopen it',
);

/** `review` is settled; `open` is the settled open review of the same write, if there is one. */
export function reopen(
  review: Review,
  open: Review | null,
  by: Commenter,
  reason: string,
  circumstances: Circumstances,
): Opened {
  if (review.state !== 'rejected' && review.state !== 'expired') return reviewClosed(review);
  if (!mayDecide(review, by, circumstances.standingOf)) return NOT_YOURS_TO_REOPEN;
  if (open !== null) return { kind: 'found', outcome: unchanged(open) };
  const controls = controlsUnder(
    review.controls.map(({ controlId }) => controlId),
    circumstances.controlOf,
  );
  if ('kind' in controls) return controls;
  const { nowMs } = circumstances;
  const again = newReview(circumstances, {
    write: review.write,
    controls,
    askedBy: review.askedBy,
    openedBy: review.openedBy,
    comments: withReason([], by, reason, nowMs),
    reopens: review.id,
  });
  return {
    kind: 'opened',
    outcome: { kind: 'changed', review: again, entries: [openedEntry(again, by, nowMs)] },
    also: [],
  };
}

function controlsUnder(
  controlIds: readonly string[],
  controlOf: ControlOf,
): readonly ReviewedControl[] | Refusal {
  const rules = controlIds.map((controlId) => ({ controlId, rule: controlOf(controlId).review }));
  const without = rules.filter(({ rule }) => rule === null);
  if (without.length === 0) return rules as readonly { controlId: string; rule: ReviewRule }[];
  return refuse(
    'not_reviewable',
    'a control of this write can no longer be satisfied by a person',
    without.map(({ controlId }) => ({
      pointer: '',
      message: `control \`${controlId}\` must say \`review\` in its control pack`,
    })),
  );
}

type Given = Pick<Review, 'write' | 'controls' | 'askedBy' | 'openedBy' | 'comments' | 'reopens'>;

function newReview({ nowMs, newId }: Circumstances, given: Given): Review {
  return {
    ...given,
    id: newId(),
    version: 1,
    state: 'open',
    because: null,
    verdicts: [],
    restsOn: [],
    spentMarks: [],
    openedAtMs: nowMs,
    expiresAtMs: nowMs + Math.min(...given.controls.map(({ rule }) => rule.expiresInMs)),
    resolvedAtMs: null,
    validUntilMs: null,
    isUsed: false,
  };
}
