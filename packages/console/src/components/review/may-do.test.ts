import type { Review } from '@writecheck/api';
import { expect, test } from 'vitest';
import type { Person } from '../../state/session.ts';
import { mayDo } from './may-do.ts';

const ANY = { control: 'approval', groups: null, identity: 'any', selfReview: false };
const FINANCE = { ...ANY, groups: ['finance'] };
const BY_RITA = { verdict: 'approve', by: { kind: 'person', id: 'per_rita' } };

function review(members: object = {}): Review {
  return { state: 'open', controls: [ANY], verdicts: [], ...members } as unknown as Review;
}

function person(roles: readonly string[], groups: readonly string[] = []): Person {
  return { id: 'per_rita', name: 'Rita', email: 'r@example.com', roles, groups } as unknown as Person;
}

const RITA = person(['reviewer']);

test('a verdict is open to those whose groups the control names, once', () => {
  expect(mayDo(review(), RITA)).toMatchObject({ mayVote: true, mayCancel: true });
  expect(mayDo(review({ controls: [FINANCE] }), RITA)).toMatchObject({ mayVote: false, mayCancel: false });
  expect(mayDo(review({ controls: [FINANCE] }), person(['reviewer'], ['finance'])).mayVote).toBe(true);
  expect(mayDo(review(), person(['auditor'])).mayVote).toBe(false);
  const again = mayDo(review({ verdicts: [BY_RITA] }), RITA);
  expect(again).toMatchObject({ hasApproved: true, mayVote: false });
  expect(mayDo(review({ state: 'approved' }), RITA).mayVote).toBe(false);
});

test('an owner key decides only where any identity counts', () => {
  expect(mayDo(review(), undefined).mayVote).toBe(true);
  expect(mayDo(review({ controls: [{ ...ANY, identity: 'passkey' }] }), undefined).mayVote).toBe(false);
});

test('whom the caller asks for may not approve, unless a control allows it', () => {
  const excludedByCaller = [{ id: 'per_rita' }];
  expect(mayDo(review({ excludedByCaller }), RITA).isExcluded).toBe(true);
  expect(mayDo(review({ excludedByCaller, controls: [{ ...ANY, selfReview: true }] }), RITA).isExcluded).toBe(
    false,
  );
});

test('a review that the service does not list for somebody is not theirs, and the page says why', () => {
  const openedAt = '2026-11-18T09:00:00.000Z';
  const signed = review({ openedAt, controls: [{ ...ANY, identity: 'passkey' }] });
  const late = { ...RITA, createdAt: '2026-11-18T10:00:00.000Z' };
  expect(mayDo(signed, late, false)).toMatchObject({
    mayVote: false,
    mayCancel: false,
    barred: { why: 'Your passkey is newer than this review.', who: 'Someone who joined earlier' },
  });
  // Invited before, they may have asked, or have joined after.
  expect(mayDo(signed, RITA, false).barred?.why).toBe('You asked for this write, or your passkey is newer.');
  expect(mayDo(review({ openedAt }), late, false).barred?.why).toBe('You asked for this write.');
  for (const isListed of [true, null]) expect(mayDo(signed, late, isListed).mayVote).toBe(true);
  // The service lists none that they have approved.
  expect(mayDo(review({ verdicts: [BY_RITA] }), RITA, false)).toMatchObject({ barred: null, mine: [ANY] });
});

test('an unused approval is taken back by an owner or by who gave it, never after its use', () => {
  const approved = { state: 'approved', verdicts: [BY_RITA] };
  expect(mayDo(review(approved), RITA).mayCancel).toBe(true);
  expect(mayDo(review({ ...approved, verdicts: [] }), RITA).mayCancel).toBe(false);
  expect(mayDo(review({ ...approved, verdicts: [] }), person(['owner'])).mayCancel).toBe(true);
  expect(mayDo(review({ ...approved, because: 'used' }), person(['owner'])).mayCancel).toBe(false);
});
