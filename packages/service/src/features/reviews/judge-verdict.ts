/** Judges a verdict: which controls it speaks for, when it is refused, and when it decides the review. */
import { isoTime, shortened } from '@writecheck/contract';
import type { Assertion } from '@writecheck/ledger';
import { type Refusal, refuse } from '../../exchange/refusal.ts';
import { type ActResult, changed, reviewClosed, unchanged } from './act-result.ts';
import {
  type Author,
  type Identity,
  isInGroup,
  isSameAuthor,
  isStrongEnough,
  mayDespiteAsking,
  type StandingOf,
} from './author.ts';
import { approvalBy } from './count-approvals.ts';
import { entryOf, verdictEntry } from './entries.ts';
import type { Review, ReviewedControl, Verdict } from './review.ts';
import { standingVerdict, takesPlaceOf } from './standing-verdict.ts';

/** What a passkey signed with the verdict, or the refusal if it did not sign this very verdict. */
type Signature =
  | { readonly kind: 'signed'; readonly assertion: Assertion; readonly mark: string }
  | Refusal
  | null;

export interface GivenVerdict {
  readonly verdict: Verdict['verdict'];
  readonly by: Author;
  /** The write that the verdict's author saw. */
  readonly intentDigest: string;
  readonly comment: string | null;
  /** Null if no assertion came with it. */
  readonly signature: Signature;
}

/** `review` is settled. The refusals are in the published order. */
export function judgeVerdict(
  review: Review,
  given: GivenVerdict,
  standingOf: StandingOf,
  nowMs: number,
): ActResult {
  const spoken = controlsSpokenFor(review, { ...given, isAsserted: given.signature !== null }, standingOf);
  if ('kind' in spoken) return spoken;
  const { signature } = given;
  if (signature?.kind === 'refused') return signature;
  if (signature !== null && review.spentMarks.includes(signature.mark)) return SPENT;

  const { epoch } = standingOf(given.by, review)!;
  const verdict: Verdict = {
    verdict: given.verdict,
    by: { kind: given.by.kind, id: given.by.id },
    identity: identityOf(given.by, signature !== null),
    controls: spoken,
    comment: given.comment,
    atMs: nowMs,
    epoch,
    credentialId: signature?.assertion.id ?? null,
    mark: signature?.mark ?? null,
  };
  const before = standingVerdict(review, given.by, standingOf, nowMs);
  if (before !== null) {
    if (before.verdict !== verdict.verdict) return ALREADY_VOTED;
    if (!takesPlaceOf(before, spoken, review, nowMs)) return repeated(review, given.by, standingOf, nowMs);
  }
  if (signature !== null && marksOf(review.verdicts).includes(signature.mark)) return SPENT;
  const assertion = signature?.assertion ?? null;
  return verdict.verdict === 'reject'
    ? rejected(review, verdict, assertion, nowMs)
    : approved(review, verdict, assertion, standingOf, nowMs);
}

/**
 * The identity that a verdict proves. Whether an assertion verifies is judged after the controls that it was meant
 * for.
 */
function identityOf({ kind }: Author, isAsserted: boolean): Identity {
  if (kind === 'owner_key') return 'any';
  return isAsserted ? 'passkey' : 'person';
}

const NO_ROLE: Refusal = refuse(
  'insufficient_scope',
  'you have no role that reviews; ask an owner of the workspace',
);
const ASKED_YOURSELF: Refusal = refuse(
  'self_review',
  'you asked for this write; somebody else must review it',
);
const EXCLUDED_BY_CALLER: Refusal = refuse(
  'self_review',
  'the caller says that it asks on your behalf, so somebody else must approve; you may reject or cancel',
);
const OTHER_WRITE: Refusal = refuse(
  'invalid_request',
  '`intentDigest` is not that of this review; check the write again before you decide',
  [{ pointer: '/intentDigest', message: '`intentDigest` is not that of this review' }],
);
const SPENT: Refusal = refuse(
  'assertion_invalid',
  'this assertion came with an earlier verdict; sign again, with another comment',
  [{ pointer: '/assertion', message: 'it came with an earlier verdict' }],
);
const ALREADY_VOTED: Refusal = refuse(
  'already_voted',
  'you have already approved this review; withdraw that verdict first',
);

type Claimed = Pick<GivenVerdict, 'by' | 'verdict' | 'intentDigest'> & { readonly isAsserted: boolean };

/** The controls that a verdict speaks for: each rule narrows them, and refuses if none is left. */
export function controlsSpokenFor(
  review: Review,
  { by, verdict, intentDigest, isAsserted }: Claimed,
  standingOf: StandingOf,
): readonly string[] | Refusal {
  const { controls } = review;
  if (review.state !== 'open') return reviewClosed(review);
  if (intentDigest !== review.write.intentDigest) return OTHER_WRITE;
  const standing = standingOf(by, review);
  if (standing === null || !standing.mayReview) return NO_ROLE;
  const identity = identityOf(by, isAsserted);
  const inGroup = controls.filter(({ rule }) => isInGroup(rule, standing));
  if (inGroup.length === 0) {
    return refuse('not_a_reviewer', `only members of ${groupsOf(controls)} may decide this review`);
  }
  const others = inGroup.filter(({ rule }) => mayDespiteAsking(rule, standing, verdict));
  if (others.length === 0) return standing.hasAsked ? ASKED_YOURSELF : EXCLUDED_BY_CALLER;
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

/** Replaces an earlier verdict by the same author, whose assertion is then spent. */
function withVerdict({ verdicts, spentMarks }: Review, verdict: Verdict) {
  const before = verdicts.filter(({ by }) => isSameAuthor(by, verdict.by));
  const others = verdicts.filter(({ by }) => !isSameAuthor(by, verdict.by));
  const old = before.filter(({ mark }) => mark !== verdict.mark);
  return { verdicts: [...others, verdict], spentMarks: [...spentMarks, ...marksOf(old)] };
}

function marksOf(verdicts: readonly Verdict[]): readonly string[] {
  return verdicts.map(({ mark }) => mark).filter((mark) => mark !== null);
}

function rejected(review: Review, verdict: Verdict, assertion: Assertion | null, nowMs: number): ActResult {
  const members = { state: 'rejected', resolvedAtMs: nowMs, ...withVerdict(review, verdict) } as const;
  return changed(review, members, (closed) => [
    verdictEntry(closed, verdict, assertion),
    entryOf(closed, 'rejected', verdict.by, nowMs),
  ]);
}

function approved(
  review: Review,
  verdict: Verdict,
  assertion: Assertion | null,
  standingOf: StandingOf,
  nowMs: number,
): ActResult {
  const voted = withVerdict(review, verdict);
  const approval = approvalBy({ ...review, ...voted }, standingOf, nowMs);
  if (approval === null) return changed(review, voted, (open) => [verdictEntry(open, verdict, assertion)]);
  return changed(review, { ...voted, ...approval }, (closed) => [
    verdictEntry(closed, verdict, assertion),
    approvedEntry(closed, verdict.by, nowMs),
  ]);
}

/**
 * The same verdict again changes nothing, unless the existing approvals suffice by now: a verdict may count
 * again because its author regained a role.
 */
function repeated(review: Review, by: Author, standingOf: StandingOf, nowMs: number): ActResult {
  const approval = approvalBy(review, standingOf, nowMs);
  if (approval === null) return unchanged(review);
  return changed(review, approval, (closed) => [approvedEntry(closed, by, nowMs)]);
}

function approvedEntry(review: Review, { kind, id }: Author, nowMs: number) {
  return entryOf(review, 'approved', { kind, id }, nowMs, { validUntil: isoTime(review.validUntilMs!) });
}

/** Takes the author's approval back. `review` is settled. */
export function withdraw(review: Review, by: Author, nowMs: number): ActResult {
  if (review.state !== 'open') return reviewClosed(review);
  const mine = review.verdicts.filter((verdict) => isSameAuthor(verdict.by, by));
  if (mine.length === 0) return refuse('not_found', 'you have given no verdict on this review');
  const verdicts = review.verdicts.filter((verdict) => !mine.includes(verdict));
  const spentMarks = [...review.spentMarks, ...marksOf(mine)];
  return changed(review, { verdicts, spentMarks }, (open) => [entryOf(open, 'withdrawn', by, nowMs)]);
}
