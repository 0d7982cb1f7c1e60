import { expect, test } from 'vitest';
import {
  AGENT,
  change,
  codeOf,
  controlsOf,
  DAY,
  HOUR,
  OWNER,
  opened,
  person,
  ruleOf,
  standings,
  T0,
} from '../../../test/reviews/review-values.ts';
import type { Commenter } from './author.ts';
import { COMMENTS_MAX, COMMENTS_OF_AUTHOR_MAX, cancel, comment } from './cancel-review.ts';
import type { Review } from './review.ts';
import { settle } from './settle-review.ts';

const RULES = { a: ruleOf({ groups: ['x'], identity: 'person' }) };
const open = opened(RULES);
const verdict = {
  verdict: 'approve',
  by: person('p'),
  identity: 'person',
  controls: ['a'],
  comment: null,
  atMs: T0,
  epoch: 1,
  credentialId: null,
  mark: null,
} as const;
const approved: Review = {
  ...open,
  state: 'approved',
  resolvedAtMs: T0,
  validUntilMs: T0 + HOUR,
  verdicts: [verdict],
};
const PEOPLE = standings({
  p: { groups: ['x'] },
  q: { groups: ['x'] },
  r: {},
  boss: { isOwner: true },
});

test('an open review is cancelled by a key that asked, an owner, or a reviewer who could approve it', () => {
  for (const by of [AGENT, OWNER, person('q'), person('boss')]) {
    const { review, entries, revokes } = change(cancel(open, by, null, PEOPLE, T0 + 5));
    expect(review).toMatchObject({ state: 'cancelled', because: 'cancelled', resolvedAtMs: T0 + 5 });
    expect(entries).toMatchObject([{ event: 'cancelled', by, details: { because: 'cancelled' } }]);
    expect(revokes).toBeUndefined();
  }
  expect(codeOf(cancel(open, person('r'), null, PEOPLE, T0))).toBe('insufficient_scope');
});

test('an approval, used or not, is taken back by an owner or an approver, and is then revoked', () => {
  for (const isUsed of [false, true]) {
    for (const by of [OWNER, person('p'), person('boss')]) {
      const outcome = change(cancel({ ...approved, isUsed }, by, null, PEOPLE, T0 + 5));
      expect(outcome).toMatchObject({ revokes: true, review: { state: 'cancelled', resolvedAtMs: T0 } });
    }
    for (const by of [AGENT, person('q'), person('unknown')]) {
      expect(codeOf(cancel({ ...approved, isUsed }, by, null, PEOPLE, T0))).toBe('insufficient_scope');
    }
  }
});

test('cancelling twice changes nothing; a rejected or expired review cannot be cancelled', () => {
  const gone: Review = { ...open, state: 'cancelled', because: 'outdated', resolvedAtMs: T0 };
  expect(cancel(gone, OWNER, null, PEOPLE, T0)).toEqual({ kind: 'unchanged', review: gone });
  for (const state of ['rejected', 'expired'] as const) {
    expect(codeOf(cancel({ ...open, state }, OWNER, null, PEOPLE, T0))).toBe('review_closed');
  }
});

test('the reason is shown as a comment, and the log has only its digest', () => {
  const { review, entries } = change(cancel(open, AGENT, 'not needed', PEOPLE, T0));
  expect(review.comments).toEqual([{ text: 'not needed', by: AGENT, atMs: T0 }]);
  expect(JSON.stringify(entries)).not.toContain('not needed');
});

test('comments are for open reviews, at most a hundred, and the log has only the digest', () => {
  const { review, entries } = change(comment(open, AGENT, 'which invoice?', T0));
  expect(review.comments).toEqual([{ text: 'which invoice?', by: AGENT, atMs: T0 }]);
  expect(entries).toMatchObject([
    { event: 'commented', by: AGENT, details: { text: expect.stringMatching(/^sha256:/) } },
  ]);
  expect(codeOf(comment(approved, OWNER, 'x', T0))).toBe('review_closed');
  const full = { ...open, comments: Array(COMMENTS_MAX).fill(review.comments[0]) };
  expect(codeOf(comment(full, OWNER, 'x', T0))).toBe('rate_limited');
  const cancelled = change(cancel(full, OWNER, 'x', PEOPLE, T0));
  expect(cancelled.review.comments).toHaveLength(COMMENTS_MAX);
  expect(cancelled.entries).toMatchObject([{ details: { reason: expect.stringMatching(/^sha256:/) } }]);
});

test('no author can fill the comments, and neither can all keys that ask', () => {
  const said = (by: Commenter, times: number) => Array(times).fill({ text: 'x', by, atMs: T0 });
  const keys = [
    { ...AGENT, id: 'key_1' },
    { ...AGENT, id: 'key_2' },
  ];
  const half = COMMENTS_OF_AUTHOR_MAX / 2;
  const loud = { ...open, comments: keys.flatMap((key) => said(key, half)) };
  for (const by of [AGENT, ...keys]) expect(codeOf(comment(loud, by, 'x', T0))).toBe('rate_limited');
  for (const by of [OWNER, person('ada')]) expect(codeOf(comment(loud, by, 'x', T0))).toBe('changed');
  const one = { ...open, comments: said(person('ada'), COMMENTS_OF_AUTHOR_MAX) };
  expect(codeOf(comment(one, person('ada'), 'x', T0))).toBe('rate_limited');
  for (const by of [OWNER, AGENT, person('bob')]) expect(codeOf(comment(one, by, 'x', T0))).toBe('changed');
});

test('a person the caller names may cancel an open review; a requester who is not an owner may not', () => {
  const by = (standing: object) =>
    codeOf(cancel(open, person('p'), null, standings({ p: { groups: ['x'], ...standing } }), T0));
  expect(by({ isExcludedByCaller: true })).toBe('changed');
  expect(by({ hasAsked: true })).toBe('insufficient_scope');
  expect(by({ hasAsked: true, isOwner: true })).toBe('changed');
});

test('a review expires at its time, even if that is noticed later, and before it can be outdated', () => {
  const controls = controlsOf(RULES);
  expect(settle(open, controls, T0 + DAY - 1).kind).toBe('unchanged');
  for (const controlOf of [controls, controlsOf({})]) {
    expect(settle(open, controlOf, T0 + 3 * DAY)).toMatchObject({
      review: { state: 'expired', because: null, resolvedAtMs: T0 + DAY },
      entries: [{ event: 'expired', by: null }],
    });
  }
});

test('an open review whose rules no longer run is cancelled as outdated', () => {
  for (const rules of [{}, { a: ruleOf() }]) {
    expect(settle(open, controlsOf(rules), T0)).toMatchObject({
      review: { state: 'cancelled', because: 'outdated', resolvedAtMs: T0 },
    });
    expect(settle(approved, controlsOf(rules), T0).kind).toBe('unchanged');
  }
});
