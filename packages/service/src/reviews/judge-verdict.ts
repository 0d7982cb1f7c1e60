/** Verdicts: which controls one speaks for, when it is refused, and when it decides the review. */
import { isoTime, shortened } from '@writecheck/contract';
import type { ReviewRule } from '@writecheck/engine';
import { type Refusal, refuse } from '../refusal.ts';
import {
  type Author,
  type Identity,
  isInGroup,
  isSameAuthor,
  isStrongEnough,
  mayDespiteAsking,
  type Standing,
  type StandingOf,
} from './author.ts';
import { entryOf, verdictEntry } from './entries.ts';
import { changed, type Outcome, reviewClosed, unchanged } from './outcome.ts';
import type { Review, ReviewedControl, Verdict } from './review.ts';

export interface GivenVerdict {
  readonly verdict: Verdict['verdict'];
  readonly by: Author;
  /** The write that the verdict's author saw. */
  readonly intentDigest: string;
  readonly comment: string | null;
  /** Whether an assertion came with it. Owner keys have no passkey, so none of their assertions verifies. */
  readonly isAsserted: boolean;
}

/** `review` is settled. The refusals are in the published order. */
export function judgeVerdict(
  review: Review,
  given: GivenVerdict,
  standingOf: StandingOf,
  nowMs: number,
): Outcome {
  if (review.state !== 'open') return reviewClosed(review);
  if (given.intentDigest !== review.write.intentDigest) return OTHER_WRITE;
  const standing = standingOf(given.by);
  if (standing === null) return refuse('insufficient_scope', 'this person has no role that reviews');
  const identity: Identity = standing.identity;
  const spoken = controlsSpokenFor(review, standing, identity);
  if ('kind' in spoken) return spoken;
  if (given.isAsserted) return NO_PASSKEY;

  const verdict: Verdict = {
    verdict: given.verdict,
    by: { kind: given.by.kind, id: given.by.id },
    identity,
    controls: spoken,
    comment: given.comment,
    atMs: nowMs,
  };
  const before = review.verdicts.find(({ by }) => isSameAuthor(by, given.by));
  if (before !== undefined) {
    if (before.verdict !== verdict.verdict) return ALREADY_VOTED;
    if (spoken.every((controlId) => before.controls.includes(controlId))) return unchanged(review);
  }
  return verdict.verdict === 'reject'
    ? rejected(review, verdict, nowMs)
    : approved(review, verdict, standingOf, nowMs);
}

const OTHER_WRITE: Refusal = refuse(
  'invalid_request',
  '`intentDigest` is not that of this review; look at the write again before you decide',
  [{ pointer: '/intentDigest', message: '`intentDigest` is not that of this review' }],
);
const NO_PASSKEY: Refusal = refuse(
  'assertion_invalid',
  'an owner key has no passkey; leave `assertion` out or sign in as a person',
);
const ALREADY_VOTED: Refusal = refuse(
  'already_voted',
  'you have approved this review already; withdraw that verdict first',
);

/** Each rule narrows them, and refuses if none is left. */
function controlsSpokenFor(
  { controls }: Review,
  standing: Standing,
  identity: Identity,
): readonly string[] | Refusal {
  const inGroup = controls.filter(({ rule }) => isInGroup(rule, standing));
  if (inGroup.length === 0) {
    return refuse('not_a_reviewer', `only members of ${groupsOf(controls)} may decide this review`);
  }
  const others = inGroup.filter(({ rule }) => mayDespiteAsking(rule, standing));
  if (others.length === 0) {
    return refuse('self_review', 'you asked for this write; somebody else must review it');
  }
  const proven = others.filter(({ rule }) => isStrongEnough(rule, identity));
  if (proven.length === 0) {
    const needs = others.some(({ rule }) => rule.identity === 'person')
      ? 'a person who signed in'
      : 'a passkey';
    return refuse('identity_too_weak', `this review needs the verdict of ${needs}`);
  }
  return proven.map(({ controlId }) => controlId);
}

function groupsOf(controls: readonly ReviewedControl[]): string {
  const groups = [...new Set(controls.flatMap(({ rule }) => rule.groups ?? []))];
  return groups.map((group) => `\`${shortened(group)}\``).join(', ');
}

function withVerdict({ verdicts }: Review, verdict: Verdict): readonly Verdict[] {
  return [...verdicts.filter(({ by }) => !isSameAuthor(by, verdict.by)), verdict];
}

function rejected(review: Review, verdict: Verdict, nowMs: number): Outcome {
  const members = { state: 'rejected', resolvedAtMs: nowMs, verdicts: withVerdict(review, verdict) } as const;
  return changed(review, members, (closed) => [
    verdictEntry(closed, verdict),
    entryOf(closed, 'rejected', verdict.by, nowMs),
  ]);
}

function approved(review: Review, verdict: Verdict, standingOf: StandingOf, nowMs: number): Outcome {
  const verdicts = withVerdict(review, verdict);
  const hasAll = review.controls.every(
    (control) => approvalsOf(control, verdicts, standingOf, nowMs) >= control.rule.approvals,
  );
  if (!hasAll) return changed(review, { verdicts }, (open) => [verdictEntry(open, verdict)]);
  const validUntilMs = nowMs + Math.min(...review.controls.map(({ rule }) => rule.holdsForMs));
  const members = { state: 'approved', resolvedAtMs: nowMs, validUntilMs, verdicts } as const;
  return changed(review, members, (closed) => [
    verdictEntry(closed, verdict),
    entryOf(closed, 'approved', verdict.by, nowMs, { validUntil: isoTime(validUntilMs) }),
  ]);
}

/** INVARIANT: what was true when a verdict was given is not trusted; every verdict is judged again as of now. */
function approvalsOf(
  { controlId, rule }: ReviewedControl,
  verdicts: readonly Verdict[],
  standingOf: StandingOf,
  nowMs: number,
): number {
  return verdicts.filter((verdict) => {
    if (!verdict.controls.includes(controlId) || nowMs - verdict.atMs > rule.holdsForMs) return false;
    const standing = standingOf(verdict.by);
    return standing !== null && meets(rule, standing, verdict.identity);
  }).length;
}

function meets(rule: ReviewRule, standing: Standing, identity: Identity): boolean {
  return isInGroup(rule, standing) && mayDespiteAsking(rule, standing) && isStrongEnough(rule, identity);
}

/** Whether their approval would count for any control. */
export function couldApprove({ controls }: Review, standing: Standing | null): boolean {
  return standing !== null && controls.some(({ rule }) => meets(rule, standing, standing.identity));
}

/** Takes the author's approval back. `review` is settled. */
export function withdraw(review: Review, by: Author, nowMs: number): Outcome {
  if (review.state !== 'open') return reviewClosed(review);
  const verdicts = review.verdicts.filter((verdict) => !isSameAuthor(verdict.by, by));
  if (verdicts.length === review.verdicts.length) {
    return refuse('not_found', 'you have given no verdict on this review');
  }
  return changed(review, { verdicts }, (open) => [entryOf(open, 'withdrawn', by, nowMs)]);
}
