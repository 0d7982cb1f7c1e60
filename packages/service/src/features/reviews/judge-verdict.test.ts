import { KEY_EPOCH } from '@writecheck/store/port/people';
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
} from '../../../test/reviews/review-values.ts';
import { refuse } from '../../exchange/refusal.ts';
import type { Author } from './author.ts';
import { type GivenVerdict, judgeVerdict, withdraw } from './judge-verdict.ts';
import type { Review } from './review.ts';
import { settle } from './settle-review.ts';

const APPROVE: GivenVerdict = {
  verdict: 'approve',
  by: OWNER,
  intentDigest: DIGEST,
  comment: null,
  signature: null,
};
const FORGED = refuse('assertion_invalid', 'forged');
function signed(mark: string): GivenVerdict['signature'] {
  const assertion = { id: 'passkey', clientDataJSON: 'c', authenticatorData: 'a', signature: 's' };
  return { kind: 'signed', assertion, mark };
}
function by(author: Author, members: Partial<GivenVerdict> = {}) {
  return { ...APPROVE, ...members, by: author };
}
function judge(review: Review, given: GivenVerdict, people = {}, nowMs = T0) {
  return judgeVerdict(review, given, standings(people), nowMs);
}

test('one approval by an owner key approves if any identity suffices, for as long as it holds', () => {
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

test('a reject closes the review, whatever controls it covers', () => {
  const review = opened({ a: ruleOf({ groups: ['finance'] }), b: ruleOf() });
  const closed = change(judge(review, by(OWNER, { verdict: 'reject', comment: 'no' })));
  expect(closed.review).toMatchObject({ state: 'rejected', resolvedAtMs: T0, validUntilMs: null });
  expect(closed.entries.map(({ event }) => event)).toEqual(['verdict', 'rejected']);
});

test('a reject needs whatever an approval would need', () => {
  const review = opened({ a: ruleOf({ identity: 'person' }) });
  expect(codeOf(judge(review, by(OWNER, { verdict: 'reject', comment: 'no' })))).toBe('identity_too_weak');
});

test('the refusals come in the published order: closed, digest, groups, self, identity, assertion, voted', () => {
  const finance = ruleOf({ groups: ['finance'], identity: 'passkey' });
  const given = by(person('p'), { intentDigest: 'sha256:other', signature: FORGED, verdict: 'reject' });
  const open = opened({ a: finance });
  const closed: Review = { ...open, state: 'rejected', resolvedAtMs: T0 };
  expect(codeOf(judge(closed, given, { p: {} }))).toBe('review_closed');
  expect(codeOf(judge(open, given, { p: { hasAsked: true } }))).toBe('invalid_request');
  const right = { ...given, intentDigest: DIGEST };
  expect(codeOf(judge(open, right, { p: { hasAsked: true } }))).toBe('not_a_reviewer');
  expect(codeOf(judge(open, right, { p: { hasAsked: true, groups: ['finance'] } }))).toBe('self_review');
  const unsigned = { ...right, signature: null };
  expect(codeOf(judge(open, unsigned, { p: { groups: ['finance'] } }))).toBe('identity_too_weak');
  expect(codeOf(judge(open, right, { p: { groups: ['finance'] } }))).toBe('assertion_invalid');
  const weak = opened({ a: ruleOf({ approvals: 2 }) });
  const voted = change(judge(weak, by(OWNER))).review;
  expect(codeOf(judge(voted, by(OWNER, { verdict: 'reject', signature: FORGED })))).toBe('assertion_invalid');
  expect(codeOf(judge(voted, by(OWNER, { verdict: 'reject' })))).toBe('already_voted');
});

test('each rule narrows the controls a verdict speaks for, in their order', () => {
  const review = opened({
    a: ruleOf({ groups: ['finance'] }),
    b: ruleOf({ identity: 'passkey' }),
    c: ruleOf(),
    d: ruleOf({ selfReview: true }),
  });
  const spoken = (standing: object, signature: GivenVerdict['signature'] = null) =>
    change(judge(review, by(person('p'), { signature }), { p: standing })).review.verdicts[0]?.controls;
  expect(spoken({})).toEqual(['c', 'd']);
  expect(spoken({ groups: ['finance'] })).toEqual(['a', 'c', 'd']);
  expect(spoken({ hasAsked: true })).toEqual(['d']);
  expect(spoken({ identity: 'passkey' })).toEqual(['c', 'd']);
  expect(spoken({}, signed('m'))).toEqual(['b', 'c', 'd']);
});

test('a person the caller names may reject but not approve; one who asked may do neither', () => {
  const review = opened({ a: ruleOf(), b: ruleOf({ identity: 'passkey' }), c: ruleOf({ selfReview: true }) });
  const alone = opened({ a: ruleOf() });
  const reject = by(person('p'), { verdict: 'reject', comment: 'not mine' });
  const named = { p: { isExcludedByCaller: true } };
  const asked = { p: { isExcludedByCaller: true, hasAsked: true } };
  expect(codeOf(judge(alone, by(person('p')), named))).toBe('self_review');
  const rejected = change(judge(review, reject, named)).review;
  expect(rejected).toMatchObject({ state: 'rejected', verdicts: [{ controls: ['a', 'c'] }] });
  expect(codeOf(judge(alone, reject, asked))).toBe('self_review');
  const approved = change(judge(review, by(person('p')), named)).review;
  expect(approved.verdicts).toMatchObject([{ controls: ['c'] }]);
});

test('an approval no longer counts once the caller names its author', () => {
  const review = opened({ a: ruleOf({ approvals: 2 }) });
  const first = change(judge(review, by(person('p')), { p: {} })).review;
  const second = judge(first, by(person('q')), { p: { isExcludedByCaller: true }, q: {} });
  expect(change(second).review.state).toBe('open');
});

test('the verdict of an owner key ends with the key, and another owner key may give its own', () => {
  const review = opened({ a: ruleOf({ approvals: 2 }) });
  const first = change(judge(review, APPROVE)).review;
  const revoked = { [OWNER.id]: null, p: {} };
  expect(change(judge(first, by(person('p')), revoked)).review.state).toBe('open');
  expect(codeOf(judge(first, APPROVE, revoked))).toBe('insufficient_scope');
  const reject = by(OTHER_OWNER, { verdict: 'reject', comment: 'no' });
  expect(change(judge(first, reject, revoked)).review.state).toBe('rejected');
  const again = change(judge(first, by(OTHER_OWNER), revoked)).review;
  expect(again.verdicts).toMatchObject([{ by: OTHER_OWNER }]);
  expect(change(judge(again, by(person('p')), revoked)).review.state).toBe('approved');
});

test('if different people are required, nobody counts twice, and two people who may do both suffice', () => {
  const both = { groups: ['legal', 'finance'] };
  const rules = { a: ruleOf({ groups: ['finance'] }), b: ruleOf({ groups: ['legal'] }) };
  const review = opened(rules, { different: [['a', 'b']] });
  const people = { p: both, q: both, f: { groups: ['finance'] } };
  const once = change(judge(review, by(person('p')), people)).review;
  expect(once).toMatchObject({ state: 'open', verdicts: [{ controls: ['a', 'b'] }] });
  for (const second of ['q', 'f']) {
    const twice = change(judge(once, by(person(second)), people)).review;
    expect(twice.state).toBe('approved');
    const counted = twice.restsOn.map(({ id, controls }) => [id, ...controls]);
    expect(counted.map(([, control]) => control).sort()).toEqual(['a', 'b']);
    if (second === 'f')
      expect(counted).toEqual(
        expect.arrayContaining([
          ['p', 'b'],
          ['f', 'a'],
        ]),
      );
  }
  const unbound = change(judge(opened(rules), by(person('p')), people)).review;
  expect(unbound.state).toBe('approved');
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

test('every control needs its own number of approvals', () => {
  const review = opened({ a: ruleOf({ groups: ['x'] }), b: ruleOf({ groups: ['y'] }) });
  const people = { x: { groups: ['x'] }, y: { groups: ['y'] }, z: { groups: ['x'] } };
  const first = change(judge(review, by(person('x')), people)).review;
  const second = change(judge(first, by(person('z')), people)).review;
  expect(second.state).toBe('open');
  expect(change(judge(second, by(person('y')), people)).review.state).toBe('approved');
});

test('the same verdict again changes nothing, unless it covers more controls; then it replaces the first', () => {
  const review = opened({ a: ruleOf({ approvals: 2 }), b: ruleOf({ approvals: 2, identity: 'passkey' }) });
  const weak = change(judge(review, by(person('p')), { p: {} })).review;
  expect(codeOf(judge(weak, by(person('p')), { p: {} }))).toBe('unchanged');
  const strong = change(judge(weak, by(person('p'), { signature: signed('m') }), { p: {} })).review;
  expect(strong.verdicts).toHaveLength(1);
  expect(strong.verdicts[0]?.controls).toEqual(['a', 'b']);
  expect(codeOf(judge(strong, by(person('p')), { p: {} }))).toBe('unchanged');
});

test('every approval is judged again when the last one arrives', () => {
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

test('the same verdict again approves, once an author whose approval did not count has a role again', () => {
  const review = opened({ a: ruleOf({ approvals: 2 }) });
  const first = change(judge(review, by(person('p')), { p: {} })).review;
  const both = change(judge(first, by(person('q')), { p: { mayReview: false }, q: {} })).review;
  expect(both.state).toBe('open');
  expect(codeOf(judge(both, by(person('q')), { p: { mayReview: false }, q: {} }))).toBe('unchanged');
  for (const id of ['p', 'q']) {
    const { review: done, entries } = change(judge(both, by(person(id)), { p: {}, q: {} }));
    expect(done).toMatchObject({ state: 'approved', restsOn: [{ id: 'p' }, { id: 'q' }] });
    expect(done.verdicts).toEqual(both.verdicts);
    expect(entries).toMatchObject([{ event: 'approved', by: person(id) }]);
  }
});

test('an approval older than `holdsFor` blocks nothing: another approval renews it, or a reject replaces it', () => {
  const review = opened({ a: ruleOf({ approvals: 2 }) });
  const people = { p: {}, q: {} };
  const first = change(judge(review, by(person('p')), people)).review;
  const late = T0 + HOUR + 1;
  expect(codeOf(judge(first, by(person('p')), people, T0 + HOUR))).toBe('unchanged');
  const reject = by(person('p'), { verdict: 'reject', comment: 'no' });
  expect(codeOf(judge(first, reject, people, T0 + HOUR))).toBe('already_voted');
  expect(change(judge(first, reject, people, late)).review.state).toBe('rejected');
  const renewed = change(judge(first, by(person('p')), people, late)).review;
  expect(renewed.verdicts).toMatchObject([{ by: person('p'), atMs: late }]);
  expect(change(judge(renewed, by(person('q')), people, late)).review.state).toBe('approved');
});

test('an approval is renewed only by a new assertion, and never loses a control that it still holds for', () => {
  const rules = { a: ruleOf({ approvals: 2, identity: 'passkey' }), b: ruleOf({ approvals: 2 }) };
  const given = by(person('p'), { signature: signed('first') });
  const voted = change(judge(opened(rules), given, { p: {} })).review;
  const late = T0 + HOUR + 1;
  expect(codeOf(judge(voted, given, { p: {} }, late))).toBe('assertion_invalid');
  const renewed = change(judge(voted, { ...given, signature: signed('second') }, { p: {} }, late)).review;
  expect(codeOf(judge(renewed, given, { p: {} }, late))).toBe('assertion_invalid');
  const longer = { ...rules, a: ruleOf({ approvals: 2, identity: 'passkey', holdsForMs: DAY }) };
  const signedLong = change(judge(opened(longer), given, { p: {} })).review;
  expect(codeOf(judge(signedLong, by(person('p')), { p: {} }, late))).toBe('unchanged');
});

test('a person without a role that reviews gives no verdict, and their earlier one no longer counts', () => {
  const review = opened({ a: ruleOf({ approvals: 2 }) });
  expect(codeOf(judge(review, by(person('p'))))).toBe('insufficient_scope');
  expect(codeOf(judge(review, by(person('p')), { p: { mayReview: false } }))).toBe('insufficient_scope');
  const first = change(judge(review, by(person('p')), { p: {} })).review;
  const second = (p: object) => change(judge(first, by(person('q')), { p, q: {} })).review;
  expect(second({ mayReview: false }).state).toBe('open');
  expect(second({}).state).toBe('approved');
});

test('a verdict from before its author was disabled or reset does not count and blocks nothing', () => {
  const review = opened({ a: ruleOf({ approvals: 2 }) });
  const first = change(judge(review, by(person('p')), { p: {} })).review;
  const back = { p: { epoch: 2 }, q: {} };
  expect(change(judge(first, by(person('q')), back)).review.state).toBe('open');
  const rejected = judge(first, by(person('p'), { verdict: 'reject', comment: 'no' }), back);
  expect(change(rejected).review.state).toBe('rejected');
  const again = change(judge(first, by(person('p')), back)).review;
  expect(again.verdicts).toMatchObject([{ epoch: 2 }]);
  expect(change(judge(again, by(person('q')), back)).review.state).toBe('approved');
});

test('an approval depends on the people whose verdicts counted, for the controls they counted for', () => {
  const review = opened({ a: ruleOf({ groups: ['x'] }), b: ruleOf({ groups: ['y'] }), c: ruleOf() });
  const people = { p: { groups: ['x'] }, q: { groups: ['y'] }, r: { groups: ['x'] } };
  const first = change(judge(review, by(person('p')), people)).review;
  const second = change(judge(first, by(person('r')), people)).review;
  const owner = change(judge(second, by(OWNER), people)).review;
  const left = { ...people, r: { groups: [] } };
  expect(change(judge(owner, by(person('q')), left)).review.restsOn).toEqual([
    { ...person('p'), epoch: 1, controls: ['a', 'c'] },
    { ...person('q'), epoch: 1, controls: ['b', 'c'] },
    { ...person('r'), epoch: 1, controls: ['c'] },
    { ...OWNER, epoch: KEY_EPOCH, controls: ['c'] },
  ]);
});

test('the entry of a verdict keeps the assertion; one that came with a withdrawn verdict does not come back', () => {
  const review = opened({ a: ruleOf({ approvals: 2, identity: 'passkey' }) });
  const given = by(person('p'), { signature: signed('first') });
  const { review: voted, entries } = change(judge(review, given, { p: {} }));
  expect(voted.verdicts).toMatchObject([{ identity: 'passkey', credentialId: 'passkey' }]);
  expect(entries[0]?.details.assertion).toMatchObject({ id: 'passkey', signature: 's' });
  expect(codeOf(judge(voted, given, { p: {} }))).toBe('unchanged');
  const { review: without } = change(withdraw(voted, person('p'), T0));
  expect(codeOf(judge(without, given, { p: {} }))).toBe('assertion_invalid');
  expect(codeOf(judge(without, { ...given, signature: signed('second') }, { p: {} }))).toBe('changed');
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
