/** Checks that it is no easier than before for a person to satisfy a control. */
import { REVIEW_IDENTITIES } from '@writecheck/contract';
import type { ControlDefinition } from '../policy/documents.ts';
import { reviewRuleFrom } from '../policy/review-rule.ts';
import type { Findings } from './findings.ts';

export function compareReviews(was: ControlDefinition, is: ControlDefinition, findings: Findings): void {
  if (was.review === undefined || is.review === undefined) {
    if (is.review !== undefined) findings.loosens('/review', 'a person may satisfy it now');
    if (was.review !== undefined) findings.tightens('/review', 'a person may no longer satisfy it');
    return;
  }
  const old = reviewRuleFrom(was.review);
  const next = reviewRuleFrom(is.review);
  const judge = (member: string, before: number, after: number, more: string, less: string) => {
    if (after > before) findings.tightens(`/review/${member}`, more);
    if (after < before) findings.loosens(`/review/${member}`, less);
  };
  judge('approvals', old.approvals, next.approvals, 'more people must approve', 'fewer people must approve');
  judge(
    'identity',
    REVIEW_IDENTITIES.indexOf(old.identity),
    REVIEW_IDENTITIES.indexOf(next.identity),
    `reviewers need stronger proof of identity: \`${next.identity}\``,
    `reviewers need weaker proof of identity: \`${next.identity}\``,
  );
  judge(
    'expiresIn',
    -old.expiresInMs,
    -next.expiresInMs,
    'a review stays open for less time',
    'a review stays open longer',
  );
  judge(
    'holdsFor',
    -old.holdsForMs,
    -next.holdsForMs,
    'an approval counts for less time',
    'an approval counts longer',
  );
  judge(
    'selfReview',
    Number(!old.selfReview),
    Number(!next.selfReview),
    'the requester may no longer approve',
    'the requester may approve now',
  );
  compareGroups(old.groups, next.groups, findings);
}

/** Null means anyone who may review. */
function compareGroups(
  old: readonly string[] | null,
  next: readonly string[] | null,
  findings: Findings,
): void {
  const isWithin = old === null || next?.every((group) => old.includes(group)) === true;
  if (!isWithin) findings.loosens('/review/groups', 'members of other groups may approve now');
  else if (next !== null && (old === null || next.length < old.length))
    findings.tightens('/review/groups', 'members of fewer groups may approve');
}
