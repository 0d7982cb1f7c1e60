import { expect } from 'vitest';
import { testInPart } from '../../../../scripts/in-part.ts';
import { tortureReviews } from './review-lives.ts';

const MUST_HAPPEN = [
  ...[
    'open opened',
    'open joined',
    'open same',
    'open already_asked',
    'vote counted',
    'vote approved',
    'vote rejected',
    'vote same',
  ],
  'vote review_closed',
  'vote not_a_reviewer',
  'vote self_review',
  'vote identity_too_weak',
  'vote already_voted',
  'vote assertion_invalid',
  'vote insufficient_scope',
  'withdraw withdrawn',
  'withdraw not_found',
  'withdraw review_closed',
  'cancel cancelled',
  'cancel same',
  'cancel insufficient_scope',
  'cancel review_closed',
  'comment commented',
  'comment review_closed',
  'comment rate_limited',
  'use used',
  'use untrusted',
];

testInPart(
  {
    part: 3_000,
    whole: 10_000,
    named: (count) =>
      `${count} random lives of reviews are those of the plain model, and everything happens in them`,
  },
  (lives) => {
    const { faults, seen } = tortureReviews(lives, 20_261_116);
    expect(faults).toEqual([]);
    expect([...seen.keys()]).toEqual(expect.arrayContaining(MUST_HAPPEN));
  },
);
