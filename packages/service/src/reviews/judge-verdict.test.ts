import { expect, test } from 'vitest';
import {
  change,
  codeOf,
  controlsOf,
  DAY,
  DIGEST,
  HOUR,
  MINUTE,
  OTHER_OWNER,
  OWNER,
  opened,
  person,
  ruleOf,
  standings,
  T0,
} from '../../test/review-values.ts';
import type { Author } from './author.ts';
import { type GivenVerdict, judgeVerdict, withdraw } from './judge-verdict.ts';
import type { Review } from './review.ts';
import { settle } from './settle-review.ts';

const APPROVE: GivenVerdict = {
  verdict: 'approve',
  by: OWNER,
  intentDigest: DIGEST,
  comment: null,
  isAsserted: false,
};
function by(author: Author, members: Partial<GivenVerdict> = {}) {
  return { ...APPROVE, ...members, by: author };
}
function judge(review: Review, given: GivenVerdict, people = {}, nowMs = T0) {
  return judgeVerdict(review, given, standings(people), nowMs);
}

test('one approval by an owner key approves where any identity will do, for as long as it holds', () => {
  const { review, entries } = change(judge(opened({ approval: ruleOf() }), APPROVE));
  expect(review).toMatchObject({ state: 'approved', resolvedAtMs: T0, validUntilMs: T0 + HOUR, version: 2 });
  expect(entries.map(({ event }) => event)).toEqual(['verdict', 'approved']);
  expect(entries[0]).toMatchObject({
    by: OWNER,
    details: { verdict: 'approve', controls: ['approval'], comment: null, identity: 'any' },
  });
});

test('the shortest `holdsFor` of all controls counts', () => {
  const rules = { a: ruleOf({ holdsForMs: DAY }), b: ruleOf({ holdsForMs: 5 * MINUTE }) };
  expect(change(judge(opened(rules), APPROVE)).review.validUntilMs).toBe(T0 + 5 * MINUTE);
});

test('a reject closes the review, whichever controls it speaks for', () => {
  const review = opened({ a: ruleOf({ groups: ['finance'] }), b: ruleOf() });
  const closed = change(judge(review, by(OWNER, { verdict: 'reject', comment: 'no' })));
  expect(closed.review).toMatchObject({ state: 'rejected', resolvedAtMs: T0, validUntilMs: null });
  expect(closed.entries.map(({ event }) => event)).toEqual(['verdict', 'rejected']);
});

test('a reject needs whatever an approve would need', () => {
  const review = opened({ a: ruleOf({ identity: 'person' }) });
  expect(codeOf(judge(review, by(OWNER, { verdict: 'reject', comment: 'no' })))).toBe('identity_too_weak');
});

test('the refusals come in the published order: closed, digest, groups, self, identity, assertion, voted', () => {
  const finance = ruleOf({ groups: ['finance'], identity: 'passkey' });
  const given = by(person('p'), { intentDigest: 'sha256:other', isAsserted: true, verdict: 'reject' });
  const open = opened({ a: finance });
  const closed: Review = { ...open, state: 'rejected', resolvedAtMs: T0 };
  expect(codeOf(judge(closed, given, { p: {} }))).toBe('review_closed');
  expect(codeOf(judge(open, given, { p: { hasAsked: true } }))).toBe('invalid_request');
  const right = { ...given, intentDigest: DIGEST };
  expect(codeOf(judge(open, right, { p: { hasAsked: true } }))).toBe('not_a_reviewer');
  expect(codeOf(judge(open, right, { p: { hasAsked: true, groups: ['finance'] } }))).toBe('self_review');
  expect(codeOf(judge(open, right, { p: { groups: ['finance'] } }))).toBe('identity_too_weak');
  const weak = opened({ a: ruleOf({ approvals: 2 }) });
  const voted = change(judge(weak, by(OWNER))).review;
  expect(codeOf(judge(voted, by(OWNER, { verdict: 'reject', isAsserted: true })))).toBe('assertion_invalid');
  expect(codeOf(judge(voted, by(OWNER, { verdict: 'reject' })))).toBe('already_voted');
});

test('each rule narrows the controls a verdict speaks for, in their order', () => {
  const review = opened({
    a: ruleOf({ groups: ['finance'] }),
    b: ruleOf({ identity: 'passkey' }),
    c: ruleOf(),
    d: ruleOf({ selfReview: true }),
  });
  const spoken = (standing: object) =>
    change(judge(review, by(person('p')), { p: standing })).review.verdicts[0]?.controls;
  expect(spoken({})).toEqual(['c', 'd']);
  expect(spoken({ groups: ['finance'] })).toEqual(['a', 'c', 'd']);
  expect(spoken({ hasAsked: true })).toEqual(['d']);
  expect(spoken({ identity: 'passkey' })).toEqual(['b', 'c', 'd']);
});

test('an owner key is in no group, and self-review never stops it', () => {
  expect(codeOf(judge(opened({ a: ruleOf({ groups: ['finance'] }) }), APPROVE))).toBe('not_a_reviewer');
  expect(codeOf(judge(opened({ a: ruleOf() }), APPROVE))).toBe('changed');
});

test('several approvals must come from different people, and all owner keys are one author', () => {
  const review = opened({ a: ruleOf({ approvals: 2 }) });
  const once = change(judge(review, APPROVE)).review;
  expect(once.state).toBe('open');
  expect(judge(once, by(OTHER_OWNER))).toEqual({ kind: 'unchanged', review: once });
  const twice = change(judge(once, by(person('p')), { p: {} })).review;
  expect(twice.state).toBe('approved');
});

test('every control needs its own number', () => {
  const review = opened({ a: ruleOf({ groups: ['x'] }), b: ruleOf({ groups: ['y'] }) });
  const people = { x: { groups: ['x'] }, y: { groups: ['y'] }, z: { groups: ['x'] } };
  const first = change(judge(review, by(person('x')), people)).review;
  const second = change(judge(first, by(person('z')), people)).review;
  expect(second.state).toBe('open');
  expect(change(judge(second, by(person('y')), people)).review.state).toBe('approved');
});

test('the same verdict again changes nothing, unless it speaks for more controls and takes its place', () => {
  const review = opened({ a: ruleOf({ approvals: 2 }), b: ruleOf({ approvals: 2, identity: 'passkey' }) });
  const weak = change(judge(review, by(person('p')), { p: {} })).review;
  expect(codeOf(judge(weak, by(person('p')), { p: {} }))).toBe('unchanged');
  const strong = change(judge(weak, by(person('p')), { p: { identity: 'passkey' } })).review;
  expect(strong.verdicts).toHaveLength(1);
  expect(strong.verdicts[0]?.controls).toEqual(['a', 'b']);
  expect(codeOf(judge(strong, by(person('p')), { p: {} }))).toBe('unchanged');
});

test('every approval is judged again when the last one comes', () => {
  const review = opened({ a: ruleOf({ approvals: 2, groups: ['x'], identity: 'person' }) });
  const first = change(judge(review, by(person('p')), { p: { groups: ['x'] } })).review;
  const second = (p: object | undefined, nowMs = T0) =>
    change(judge(first, by(person('q')), { ...(p && { p }), q: { groups: ['x'] } }, nowMs)).review.state;
  expect(second({ groups: ['x'] })).toBe('approved');
  expect(second({ groups: [] })).toBe('open');
  expect(second({ groups: ['x'], hasAsked: true })).toBe('open');
  expect(second(undefined)).toBe('open');
  expect(second({ groups: ['x'] }, T0 + HOUR)).toBe('approved');
  expect(second({ groups: ['x'] }, T0 + HOUR + 1)).toBe('open');
});

test('a person without a role that reviews gives no verdict', () => {
  expect(codeOf(judge(opened({ a: ruleOf() }), by(person('p'))))).toBe('insufficient_scope');
});

test('an approval may be withdrawn while the review is open', () => {
  const review = opened({ a: ruleOf({ approvals: 2 }) });
  const voted = change(judge(review, APPROVE)).review;
  const { review: without, entries } = change(withdraw(voted, OTHER_OWNER, T0));
  expect(without.verdicts).toEqual([]);
  expect(entries.map(({ event }) => event)).toEqual(['withdrawn']);
  expect(codeOf(withdraw(without, OWNER, T0))).toBe('not_found');
  const closed = change(judge(opened({ a: ruleOf() }), APPROVE)).review;
  expect(codeOf(withdraw(closed, OWNER, T0))).toBe('review_closed');
});

test('a review that is overdue, or whose rules changed, takes no verdict', () => {
  const review = opened({ a: ruleOf() });
  const late = settle(review, controlsOf({ a: ruleOf() }), T0 + DAY).review;
  expect(codeOf(judge(late, APPROVE))).toBe('review_closed');
  const other = settle(review, controlsOf({ a: ruleOf({ approvals: 3 }) }), T0).review;
  expect(codeOf(judge(other, APPROVE))).toBe('review_closed');
});
