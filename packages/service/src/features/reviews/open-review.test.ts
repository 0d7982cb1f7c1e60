import { expect, test } from 'vitest';
import {
  AGENT,
  askedFor,
  circumstances,
  codeOf,
  controlsOf,
  DAY,
  HOUR,
  NO_TERMS,
  opened,
  person,
  type Rules,
  ruleOf,
  T0,
} from '../../../test/reviews/review-values.ts';
import { ASKERS_MAX, openReview } from './open-review.ts';
import type { Review } from './review.ts';

const RULES: Rules = { a: ruleOf(), b: ruleOf({ expiresInMs: HOUR }) };
function now(members = {}) {
  return circumstances({ controlOf: controlsOf(RULES), ...members });
}
const approved: Partial<Review> = { state: 'approved', resolvedAtMs: T0, validUntilMs: T0 + HOUR };
const rejected: Partial<Review> = { state: 'rejected', resolvedAtMs: T0 };

function found(existing: readonly Review[], members = {}, controlIds = ['a']) {
  const outcome = openReview(askedFor(controlIds), existing, now(members));
  if (outcome.kind === 'refused') throw new Error(outcome.code);
  return outcome.kind === 'opened' ? 'opened' : outcome.outcome.review.id;
}

test('a new review names its controls in order and expires by the shortest rule', () => {
  const outcome = openReview(askedFor(['b', 'a']), [], now());
  if (outcome.kind !== 'opened') throw new Error(outcome.kind);
  const { review, entries } = outcome.outcome;
  expect(review).toMatchObject({ state: 'open', version: 1, openedAtMs: T0, expiresAtMs: T0 + HOUR });
  expect(review.controls.map(({ controlId }) => controlId)).toEqual(['b', 'a']);
  expect(entries).toMatchObject([
    { event: 'opened', by: AGENT, review: review.id, details: { decisionId: 'dec_1' } },
  ]);
});

test('a control that no person may satisfy makes the decision not reviewable, and the refusal names it', () => {
  const outcome = openReview(askedFor(['a', 'c']), [], now());
  expect(outcome).toMatchObject({ code: 'not_reviewable' });
  expect(JSON.stringify(outcome)).toContain('`c`');
});

test('an existing review is joined: an open one, then a usable approved one, then one rejected today', () => {
  const open = opened(RULES);
  const good: Review = { ...opened(RULES), ...approved };
  const no: Review = { ...opened(RULES), ...rejected };
  expect(found([no, good, open])).toBe(open.id);
  expect(found([no, good])).toBe(good.id);
  expect(found([no])).toBe(no.id);
  expect(found([no], { nowMs: T0 + DAY - 1 })).toBe(no.id);
  expect(found([no], { nowMs: T0 + DAY })).toBe('opened');
});

test('an approved review is skipped if its evidence would not be accepted', () => {
  const good: Review = { ...opened(RULES), ...approved };
  expect(found([{ ...good, isUsed: true }])).toBe('opened');
  expect(found([good], { nowMs: T0 + HOUR })).toBe('opened');
  expect(found([good], { controlOf: controlsOf({ ...RULES, b: ruleOf() }) })).toBe('opened');
  expect(found([good], { nowMs: T0 + 2, controlOf: controlsOf(RULES, { a: 1 }) })).toBe('opened');
  for (const state of ['expired', 'cancelled'] as const) expect(found([{ ...good, state }])).toBe('opened');
});

test('an approval by the holder or maker of the requesting key is skipped, unless they may review themselves', () => {
  const restsOn = [{ ...person('ada'), epoch: 1, controls: ['a'] }];
  const good: Review = { ...opened(RULES), ...approved, restsOn };
  const ownersOfKey = (keyId: string) => (keyId === AGENT.id ? ['ada'] : []);
  expect(found([good])).toBe(good.id);
  expect(found([good], { ownersOfKey })).toBe('opened');
  const own = { ...RULES, a: ruleOf({ selfReview: true }) };
  const self: Review = { ...opened(own), ...approved, restsOn };
  expect(found([self], { ownersOfKey, controlOf: controlsOf(own) })).toBe(self.id);
});

test('an open review that covers less is cancelled as outdated in favour of a new one', () => {
  const { a } = RULES;
  const open = opened({ a: a! });
  const outcome = openReview(askedFor(['a', 'b']), [open], now());
  if (outcome.kind !== 'opened') throw new Error(outcome.kind);
  expect(outcome.also).toMatchObject([
    {
      review: { id: open.id, state: 'cancelled', because: 'outdated', version: 2 },
      entries: [{ event: 'cancelled', by: null, details: { because: 'outdated' } }],
    },
  ]);
});

test('asking adds the key to those who asked, once for each key, also on a closed review', () => {
  const no: Review = { ...opened(RULES), ...rejected };
  const again = (review: Review, members: object) => openReview(askedFor(['a'], members), [review], now());
  expect(again(no, {})).toMatchObject({ kind: 'found', outcome: { kind: 'unchanged' } });
  expect(again(no, { justification: 'more' })).toMatchObject({ outcome: { kind: 'unchanged' } });
  expect(again(no, { keyId: 'key_2' })).toMatchObject({
    outcome: { review: { version: 2, askedBy: [{ keyId: AGENT.id }, { keyId: 'key_2' }] } },
  });
});

test('one key names one person on a review, and omitting the name later does not remove it', () => {
  const again = (review: Review, members: object) => openReview(askedFor(['a'], members), [review], now());
  const named = again(opened(RULES), { onBehalfOf: 'Ada@example.com' });
  if (named.kind !== 'found') throw new Error(codeOf(named));
  const { review } = named.outcome;
  expect(review.askedBy).toMatchObject([{ keyId: AGENT.id, onBehalfOf: 'Ada@example.com' }]);
  expect(named.outcome).toMatchObject({ kind: 'changed', entries: [{ event: 'asked' }] });
  for (const same of [{}, { onBehalfOf: 'ada@EXAMPLE.com' }])
    expect(again(review, same)).toMatchObject({ kind: 'found', outcome: { kind: 'unchanged' } });
  expect(codeOf(again(review, { onBehalfOf: 'bob@example.com' }))).toBe('already_asked');
  expect(codeOf(again(review, { onBehalfOf: 'bob@example.com', keyId: 'key_2' }))).toBe('found');
});

test('an approval never comes to mean more: one without the confirmation or the different people is skipped', () => {
  const asked = (terms: object, existing: Review) => {
    const outcome = openReview({ ...askedFor(['a']), terms: { ...NO_TERMS, ...terms } }, [existing], now());
    return outcome.kind === 'found' ? outcome.outcome.review.id : codeOf(outcome);
  };
  for (const terms of [{ confirms: 'a' }, { different: [['a', 'b']] }]) {
    for (const state of [approved, {}]) {
      const plain: Review = { ...opened(RULES), ...state };
      expect(asked(terms, plain)).toBe('opened');
      const same: Review = { ...opened(RULES, terms), ...state };
      expect([asked(terms, same), asked({}, same)]).toEqual([same.id, same.id]);
    }
  }
  const no: Review = { ...opened(RULES), ...rejected };
  expect(asked({ confirms: 'a' }, no)).toBe(no.id);
});

test('the twenty-first key that asks is refused, unless it has asked before', () => {
  const open = opened(RULES);
  const [first] = open.askedBy;
  const askedBy = Array.from({ length: ASKERS_MAX }, (_, i) => ({ ...first!, keyId: `key_${i}` }));
  const full = { ...open, askedBy };
  expect(codeOf(openReview(askedFor(['a']), [full], now()))).toBe('rate_limited');
  expect(codeOf(openReview(askedFor(['a'], { keyId: 'key_19' }), [full], now()))).toBe('found');
});

test('a person who opens or joins a review has asked for it', () => {
  const ada = { kind: 'person', id: 'per_ada' } as const;
  const bob = { kind: 'person', id: 'per_bob' } as const;
  const outcome = openReview({ ...askedFor(['a']), by: ada }, [], now());
  if (outcome.kind !== 'opened') throw new Error(outcome.kind);
  const { review } = outcome.outcome;
  expect(review.openedBy).toEqual([ada.id]);
  const joined = openReview({ ...askedFor(['a']), by: bob }, [review], now());
  if (joined.kind !== 'found') throw new Error(joined.kind);
  expect(joined.outcome.review).toMatchObject({ openedBy: [ada.id, bob.id], askedBy: review.askedBy });
});
