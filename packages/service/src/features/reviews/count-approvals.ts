/** Counts the verdicts of a review as of now, and tells whether they suffice and whose verdict could. */
import type { ReviewRule } from '@writecheck/engine';
import { KEY_EPOCH } from '@writecheck/store/port/people';
import {
  type Commenter,
  type Identity,
  isInGroup,
  isStrongEnough,
  mayDespiteAsking,
  type Standing,
  type StandingOf,
} from './author.ts';
import { differentPeople } from './different-people.ts';
import type { Approver, Review, ReviewedControl, Verdict } from './review.ts';
import { holds } from './standing-verdict.ts';

/** The approval that the review has as of now; null while a control lacks approvals. */
export function approvalBy(
  review: Review,
  standingOf: StandingOf,
  nowMs: number,
): Pick<Review, 'state' | 'resolvedAtMs' | 'validUntilMs' | 'restsOn'> | null {
  const { controls } = review;
  const counting = controls.map((control) => ({
    control,
    verdicts: review.verdicts.filter((each) => counts(each, control, review, standingOf, nowMs)),
  }));
  if (counting.some(({ control, verdicts }) => verdicts.length < control.rule.approvals)) return null;
  const chosen = differentPeople(
    counting.map(({ control: { controlId, rule }, verdicts }) => ({
      controlId,
      approvals: rule.approvals,
      authors: verdicts.map(({ by }) => by.id),
    })),
    review.terms.different,
  );
  if (chosen === null) return null;
  const validUntilMs = nowMs + Math.min(...controls.map(({ rule }) => rule.holdsForMs));
  return { state: 'approved', resolvedAtMs: nowMs, validUntilMs, restsOn: approversIn(counting, chosen) };
}

interface Counting {
  readonly control: ReviewedControl;
  readonly verdicts: readonly Verdict[];
}

function approversIn(
  counting: readonly Counting[],
  chosen: ReadonlyMap<string, readonly string[]>,
): readonly Approver[] {
  const approvers = new Map<string, Approver>();
  for (const {
    control: { controlId },
    verdicts,
  } of counting) {
    for (const { by, epoch } of verdicts) {
      if (!chosen.get(controlId)!.includes(by.id)) continue;
      const controls = [...(approvers.get(by.id)?.controls ?? []), controlId];
      approvers.set(by.id, { ...by, epoch: epoch ?? KEY_EPOCH, controls });
    }
  }
  return [...approvers.values()];
}

/** INVARIANT: facts from when a verdict was given are not trusted; every verdict is judged again as of now. */
function counts(
  verdict: Verdict,
  control: ReviewedControl,
  review: Review,
  standingOf: StandingOf,
  nowMs: number,
): boolean {
  if (!holds(verdict, control, nowMs)) return false;
  const standing = standingOf(verdict.by, review);
  if (standing === null || standing.epoch !== verdict.epoch) return false;
  return meets(control.rule, standing, verdict.identity, 'approve');
}

function meets(
  rule: ReviewRule,
  standing: Standing,
  identity: Identity,
  verdict: Verdict['verdict'],
): boolean {
  if (!standing.mayReview || !isInGroup(rule, standing)) return false;
  return mayDespiteAsking(rule, standing, verdict) && isStrongEnough(rule, identity);
}

/** Whether their verdict would count for any control. */
export function couldGive(verdict: Verdict['verdict'], { controls }: Review, standing: Standing): boolean {
  return controls.some(({ rule }) => meets(rule, standing, standing.identity, verdict));
}

/**
 * Whether they may end a review without a verdict: an owner, or a reviewer whose reject would count.
 */
export function mayEnd(review: Review, by: Commenter, standingOf: StandingOf): boolean {
  if (by.kind === 'checking_key') return false;
  const standing = standingOf({ kind: by.kind, id: by.id }, review);
  return standing !== null && (standing.isOwner || couldGive('reject', review, standing));
}
