/** Which verdicts count for a review as of now, whether they suffice, and whose verdict could. */
import type { ReviewRule } from '@writecheck/engine';
import {
  type Commenter,
  type Identity,
  isInGroup,
  isStrongEnough,
  mayDespiteAsking,
  type Standing,
  type StandingOf,
} from './author.ts';
import type { Approver, Review, ReviewedControl, Verdict } from './review.ts';
import { holds } from './standing-verdict.ts';

/** How the review is approved as of now; null while a control lacks approvals. */
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
  const validUntilMs = nowMs + Math.min(...controls.map(({ rule }) => rule.holdsForMs));
  return { state: 'approved', resolvedAtMs: nowMs, validUntilMs, restsOn: approversIn(counting) };
}

interface Counting {
  readonly control: ReviewedControl;
  readonly verdicts: readonly Verdict[];
}

function approversIn(counting: readonly Counting[]): readonly Approver[] {
  const approvers = new Map<string, Approver>();
  for (const { control, verdicts } of counting) {
    for (const { by, epoch } of verdicts) {
      if (epoch === null) continue;
      const controls = [...(approvers.get(by.id)?.controls ?? []), control.controlId];
      approvers.set(by.id, { personId: by.id, epoch, controls });
    }
  }
  return [...approvers.values()];
}

/** INVARIANT: what was true when a verdict was given is not trusted; every verdict is judged again as of now. */
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
  return meets(control.rule, standing, verdict.identity);
}

function meets(rule: ReviewRule, standing: Standing, identity: Identity): boolean {
  const isEntitled = standing.mayReview && isInGroup(rule, standing) && mayDespiteAsking(rule, standing);
  return isEntitled && isStrongEnough(rule, identity);
}

/** Whether their approval would count for any control. */
export function couldApprove({ controls }: Review, standing: Standing | null): boolean {
  return standing !== null && controls.some(({ rule }) => meets(rule, standing, standing.identity));
}

/** Whether they may end or reopen a review without a verdict: an owner, or a reviewer who could approve it. */
export function mayDecide(review: Review, by: Commenter, standingOf: StandingOf): boolean {
  if (by.kind === 'checking_key') return false;
  const standing = standingOf({ kind: by.kind, id: by.id }, review);
  return standing !== null && (standing.isOwner || couldApprove(review, standing));
}
