/** Opens a review or joins the existing one. */
import { DAY_MS } from '@writecheck/contract';
import type { ReviewRule, ReviewTerms } from '@writecheck/engine';
import { emailKey } from '@writecheck/store/port/people';
import { type Refusal, refuse } from '../../exchange/refusal.ts';
import { type Changed, changed, tooMany, type Unchanged, unchanged } from './act-result.ts';
import { approvalToUse, type ControlOf, type EpochOf, isOwnApproval } from './approval.ts';
import type { Commenter } from './author.ts';
import { entryOf, openedEntry } from './entries.ts';
import type { Asker, Review, ReviewedControl, ReviewedWrite } from './review.ts';
import { outdate } from './settle-review.ts';

export const ASKERS_MAX = 20;

export interface NewReview {
  readonly write: ReviewedWrite;
  /** The controls that the decision says a person may satisfy, in its order. */
  readonly controlIds: readonly string[];
  readonly terms: Review['terms'];
  /** The key that made the decision, whoever opens the review. */
  readonly asker: Asker;
  readonly by: Commenter;
}

function peopleOf({ kind, id }: Commenter): readonly string[] {
  return kind === 'person' ? [id] : [];
}

/** The running policy and the people at this moment. */
export interface ReviewContext {
  readonly controlOf: ControlOf;
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
export function openReview(asked: NewReview, existing: readonly Review[], context: ReviewContext): Opened {
  const { nowMs } = context;
  const controls = controlsUnder(asked.controlIds, context.controlOf);
  if ('kind' in controls) return controls;
  const covering = existing.filter((review) => covers(review, asked.controlIds));
  const enough = covering.filter((review) => meansEnough(review, asked.terms));
  const found =
    enough.find(({ state }) => state === 'open') ??
    enough.find((review) => isGood(review, asked, context)) ??
    covering.find(({ state, resolvedAtMs }) => state === 'rejected' && nowMs - resolvedAtMs! < DAY_MS);
  if (found !== undefined) return joined(found, asked, nowMs);
  const narrower = existing.filter(({ state }) => state === 'open').map((review) => outdate(review, nowMs));
  const review = newReview(context, {
    write: asked.write,
    controls,
    terms: asked.terms,
    askedBy: [asked.asker],
    openedBy: peopleOf(asked.by),
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

/**
 * Whether an approval of the review would cover all that this decision needs; an approval never comes to mean
 * more later.
 */
function meansEnough({ terms }: Review, { confirms, different }: Review['terms']): boolean {
  const isWithin = (list: readonly string[]) =>
    terms.different.some((own) => list.every((controlId) => own.includes(controlId)));
  return (confirms === null || confirms === terms.confirms) && different.every(isWithin);
}

/** Skips approvals that a check with this key would refuse, because the holder or maker of the key gave them. */
function isGood(
  review: Review,
  { by, asker }: NewReview,
  { controlOf, epochOf, ownersOfKey, nowMs }: ReviewContext,
): boolean {
  if (review.state !== 'approved') return false;
  if (approvalToUse(review, controlOf, epochOf, nowMs) !== 'good') return false;
  const keyOwners = ownersOfKey(by.kind === 'checking_key' ? by.id : asker.keyId);
  return !review.controls.some((control) => isOwnApproval(review, control, keyOwners));
}

/** Asking adds the caller to those who asked, even if the review is closed, so that the key sees it. */
function joined(review: Review, { asker, by }: NewReview, nowMs: number): Opened {
  const before = review.askedBy.find(({ keyId }) => keyId === asker.keyId);
  const isNamed = before === undefined || before.onBehalfOf !== null || asker.onBehalfOf === null;
  if (before !== undefined && isNamed && !isSameName(before, asker)) return ALREADY_ASKED;
  const openedBy = [...new Set([...review.openedBy, ...peopleOf(by)])];
  if (before !== undefined && isNamed && openedBy.length === review.openedBy.length) {
    return { kind: 'found', outcome: unchanged(review) };
  }
  if (before === undefined && review.askedBy.length >= ASKERS_MAX) {
    return tooMany(`${ASKERS_MAX} keys have already asked for this review; wait until it ends`);
  }
  const askedBy =
    before === undefined
      ? [...review.askedBy, asker]
      : review.askedBy.map((each) =>
          each === before && !isNamed ? { ...each, onBehalfOf: asker.onBehalfOf } : each,
        );
  const outcome = changed(review, { askedBy, openedBy }, (added) => [
    entryOf(added, 'asked', by, nowMs, { keyId: asker.keyId }),
  ]);
  return { kind: 'found', outcome };
}

const ALREADY_ASKED: Refusal = refuse(
  'already_asked',
  'this key has asked for this review on behalf of somebody else; one key names one person',
  [{ pointer: '/onBehalfOf', message: 'it is not the one that this key named before' }],
);

/** A caller that names nobody keeps the name that was given before. */
function isSameName(before: Asker, { onBehalfOf }: Asker): boolean {
  if (onBehalfOf === null || before.onBehalfOf === null) return true;
  return emailKey(before.onBehalfOf) === emailKey(onBehalfOf);
}

/** The part of the terms that a review keeps. Whether a requester is required is checked when somebody asks. */
export function meaningOf({ confirms, different }: ReviewTerms): Review['terms'] {
  return { confirms, different };
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

type Given = Pick<Review, 'write' | 'controls' | 'terms' | 'askedBy' | 'openedBy'>;

function newReview({ nowMs, newId }: ReviewContext, given: Given): Review {
  return {
    ...given,
    id: newId(),
    version: 1,
    state: 'open',
    because: null,
    verdicts: [],
    comments: [],
    restsOn: [],
    spentMarks: [],
    openedAtMs: nowMs,
    expiresAtMs: nowMs + Math.min(...given.controls.map(({ rule }) => rule.expiresInMs)),
    resolvedAtMs: null,
    validUntilMs: null,
    isUsed: false,
  };
}
