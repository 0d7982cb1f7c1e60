import { expect, test } from 'vitest';
import {
  AGENT,
  controlsOf,
  DIGEST,
  HOUR,
  OWNER,
  opened,
  ruleOf,
  T0,
} from '../../../test/reviews/review-values.ts';
import { earlierReviews, likenessOf } from './like-writes.ts';
import { type Review, reviewOf, rowOf } from './review.ts';
import { factsOf } from './review-facts.ts';
import { type Surroundings, showReview, type Viewer } from './show-review.ts';

const RULES = { a: ruleOf(), b: ruleOf({ groups: ['x'] }) };
const verdict = {
  verdict: 'approve',
  by: OWNER,
  identity: 'any',
  controls: ['a'],
  comment: null,
  atMs: T0,
  epoch: null,
  credentialId: null,
  mark: null,
} as const;
const fresh = opened(RULES);
const approved: Review = {
  ...fresh,
  state: 'approved',
  resolvedAtMs: T0,
  validUntilMs: T0 + HOUR,
  verdicts: [verdict],
  restsOn: [{ ...OWNER, epoch: 1, controls: ['a', 'b'] }],
  comments: [{ text: 'hm', by: AGENT, atMs: T0 }],
  askedBy: [...fresh.askedBy, { ...fresh.askedBy[0]!, keyId: 'key_other', onBehalfOf: 'ada@example.com' }],
};
const gone = (): null => null;
const later = (): number => 2;
const BY_PERSON: Partial<Review> = { restsOn: [{ kind: 'person', id: 'per_1', epoch: 1, controls: ['a'] }] };
const CHECKING: Viewer = { kind: 'checking_key', keyIds: new Set([AGENT.id]), owners: [] };
const OWNING: Viewer = { kind: 'owner' };
function at(members: Partial<Surroundings> = {}): Surroundings {
  return {
    controlOf: controlsOf(RULES),
    epochOf: () => 1,
    nameOf: ({ id }) => `name of ${id}`,
    earlier: [],
    people: [],
    url: 'http://localhost:8080/reviews/x',
    nowMs: T0,
    ...members,
  };
}

test('an owner sees who said what, the whole intent and every asker, and no evidence', () => {
  const shown = showReview(approved, OWNING, at());
  expect(shown.verdicts[0]?.by).toEqual({ ...OWNER, name: 'name of key_owner' });
  expect(shown.comments[0]?.by).toEqual({ ...AGENT, name: 'name of key_agent' });
  expect(shown.askedBy.map(({ keyId }) => keyId)).toEqual([AGENT.id, 'key_other']);
  expect(shown.intent).toHaveProperty('controlEvidence');
  expect(shown.earlier).toEqual([]);
  expect(shown).not.toHaveProperty('evidence');
});

test('a checking key sees neither names nor others, only what the digest covers, and the evidence', () => {
  const shown = showReview(approved, CHECKING, at());
  expect(JSON.stringify([shown.verdicts, shown.comments])).not.toContain('"by"');
  expect(JSON.stringify(shown)).not.toContain('key_owner');
  expect(JSON.stringify(shown)).not.toContain('ada@example.com');
  expect(shown.intent).toEqual({
    system: 'erp',
    objectType: 'vendor',
    objectRef: 'V-1',
    field: 'iban',
    agentValue: 'DE1',
    metadata: { a: 1 },
  });
  expect(shown).not.toHaveProperty('earlier');
  expect(shown.evidence).toEqual(
    ['a', 'b'].map((controlId) => ({
      controlId,
      source: 'review-desk',
      result: 'PASS',
      checkedAt: '2026-11-15T12:00:00.000Z',
      expiresAt: '2026-11-15T13:00:00.000Z',
      evidenceRef: `urn:writecheck:review:${approved.id}`,
    })),
  );
});

test('members without a question mark are always there', () => {
  const always = [
    ...[
      'id',
      'state',
      'decisionId',
      'intentDigest',
      'intent',
      'keyKind',
      'controls',
      'alsoNeeded',
      'verdicts',
    ],
    'comments',
    'askedBy',
    'openedAt',
    'expiresAt',
    'resolvedAt',
    'validUntil',
    'url',
  ];
  expect(Object.keys(showReview(fresh, CHECKING, at())).toSorted()).toEqual(always.toSorted());
  expect(Object.keys(showReview(fresh, OWNING, at())).toSorted()).toEqual(
    [...always, 'earlier', 'different', 'confirms', 'excludedByCaller'].toSorted(),
  );
  expect(showReview(fresh, OWNING, at()).controls[0]).toEqual({
    controlId: 'a',
    groups: null,
    approvals: 1,
    identity: 'any',
    selfReview: false,
  });
});

test.each([
  ['used', { isUsed: true }, {}],
  ['run_out', {}, { nowMs: T0 + HOUR }],
  ['run_out', {}, { nowMs: T0 + 2, controlOf: controlsOf(RULES, { b: 1 }) }],
  ['outdated', {}, { controlOf: controlsOf({ ...RULES, b: ruleOf() }) }],
  ['disabled', BY_PERSON, { epochOf: gone }],
  ['disabled', BY_PERSON, { epochOf: later }],
] as const)(
  'an approval that no longer counts stays approved because %s, without evidence',
  (because, members, around) => {
    const shown = showReview({ ...approved, ...members }, CHECKING, at(around));
    expect(shown).toMatchObject({ state: 'approved', because });
    expect(shown).not.toHaveProperty('evidence');
  },
);

test('only approved and cancelled reviews say why', () => {
  for (const state of ['open', 'rejected', 'expired'] as const) {
    expect(showReview({ ...fresh, state }, OWNING, at())).not.toHaveProperty('because');
  }
  const cancelled: Review = { ...approved, state: 'cancelled', because: 'cancelled' };
  expect(showReview(cancelled, CHECKING, at())).toMatchObject({ state: 'cancelled', because: 'cancelled' });
  expect(showReview(approved, OWNING, at())).not.toHaveProperty('because');
});

test('a row holds all of a review', () => {
  const row = rowOf(approved);
  expect(row).toMatchObject({ controlIds: ['a', 'b'], askedBy: [AGENT.id, 'key_other'], state: 'approved' });
  expect(reviewOf({ ...row, isUsed: false })).toEqual(approved);
});

test('earlier ones leave itself out and name rejected ones first', () => {
  const other: Review = { ...fresh, id: 'rev_2' };
  const no: Review = { ...fresh, id: 'rev_3', state: 'rejected', resolvedAtMs: T0 + 1 };
  expect(earlierReviews(fresh, [other, fresh, no])).toEqual([
    { id: 'rev_3', state: 'rejected', at: '2026-11-15T12:00:00.001Z' },
    { id: 'rev_2', state: 'open', at: '2026-11-15T12:00:00.000Z' },
  ]);
});

const WRITE = { system: 's', objectType: 't', objectRef: 'r', field: 'f', agentValue: 'value' };

test('writes are alike if system, object, field and value are the same, whatever else differs', () => {
  const same = { ...WRITE, operation: 'o', authorityValue: 'x', metadata: {}, runId: 'y' };
  expect(likenessOf(same)).toBe(likenessOf(WRITE));
  for (const member of Object.keys(WRITE)) {
    expect(likenessOf({ ...WRITE, [member]: 'z' })).not.toBe(likenessOf(WRITE));
  }
  expect(likenessOf({ ...WRITE, field: null })).toBe(likenessOf({ ...WRITE, field: undefined }));
});

test.each([
  ['another case', { system: 'S', field: 'F', agentValue: 'VaLuE' }],
  ['a space after it', { objectRef: 'r ', agentValue: 'value ' }],
  ['spaces within', { agentValue: 'v a\u00a0l\tu\ne' }],
  ['a zero-width space', { objectRef: 'r\u200b' }],
  ['a direction mark, a filler and a blank', { agentValue: '\u202evalue\u3164\u2800' }],
  ['wide letters', { agentValue: '\uff36alue' }],
  ['an operation beside it', { operation: 'vendor.update' }],
])('a rejected write is recognized despite %s', (_how, members) => {
  expect(likenessOf({ ...WRITE, ...members })).toBe(likenessOf(WRITE));
});

test('actions that name no object, field or value differ by their operation', () => {
  const [pay, ask] = ['pay', 'ask'].map((operation) => likenessOf({ system: 's', operation }));
  expect(pay).not.toBe(ask);
  expect(pay).toBe(likenessOf({ system: 'S', operation: 'PAY' }));
});

test('people see whom the caller excludes from approving; a key learns nothing about who exists', () => {
  const people = ['ADA@example.com', 'bob@example.com'].map((email, i) => ({
    id: `per_${i}`,
    name: email,
    email,
  }));
  const shown = showReview(approved, OWNING, at({ people: people as unknown as Surroundings['people'] }));
  expect(shown.excludedByCaller).toEqual([{ id: 'per_0', name: 'ADA@example.com' }]);
  const key = showReview(approved, CHECKING, at({ people: people as unknown as Surroundings['people'] }));
  expect(JSON.stringify(key)).not.toContain('per_0');
  const own = { a: ruleOf({ selfReview: true }) };
  const self = { ...opened(own), askedBy: approved.askedBy };
  const both = at({ people: people as unknown as Surroundings['people'], controlOf: controlsOf(own) });
  expect(showReview(self, OWNING, both).excludedByCaller).toEqual([]);
});

const CHECK = {
  workspace: 'ws_1',
  intentDigest: DIGEST,
  keyKind: 'live',
  controlOf: controlsOf(RULES),
  epochOf: () => 1,
  keyOwners: [],
  nowMs: T0,
} as const;
const [ITEM] = showReview(approved, CHECKING, at()).evidence!;

test('an approved review of this write, control and kind of key gives verified facts, with or without its times', () => {
  const { checkedAt: _c, expiresAt: _e, ...bare } = ITEM!;
  for (const item of [ITEM!, bare, { ...ITEM!, checkedAt: '2026-11-15T13:00:00+01:00' }]) {
    expect(factsOf(item, approved, CHECK)).toEqual({
      kind: 'verified',
      jti: `${approved.id}:a`,
      checkedAtMs: T0,
      expiresAtMs: T0 + HOUR,
      boundToDigest: true,
      boundToObject: true,
      revoked: false,
      usedUp: false,
      approval: { by: ['owner_key'], confirmsAuthority: false },
    });
  }
});

test.each([
  ['no such review', {}, null, {}],
  ['another workspace', {}, {}, { workspace: 'ws_2' }],
  ['another write', {}, {}, { intentDigest: 'sha256:x' }],
  ['another kind of key', {}, {}, { keyKind: 'development' }],
  ['another control', { controlId: 'c' }, {}, {}],
  ['open', {}, { state: 'open' }, {}],
  ['rejected', {}, { state: 'rejected' }, {}],
  ['expired', {}, { state: 'expired' }, {}],
  ['cancelled', {}, { state: 'cancelled' }, {}],
  ['used', {}, { isUsed: true }, {}],
  ['past its time', {}, {}, { nowMs: T0 + HOUR }],
  ['under another rule', {}, {}, { controlOf: controlsOf({ ...RULES, a: ruleOf({ approvals: 2 }) }) }],
  ['no longer reviewable', {}, {}, { controlOf: controlsOf({}) }],
  ['resting on somebody disabled', {}, BY_PERSON, { epochOf: gone }],
  ['resting on somebody reset', {}, BY_PERSON, { epochOf: later }],
  ['approved by whoever has the key', {}, BY_PERSON, { keyOwners: ['per_2', 'per_1'] }],
  ['another checkedAt', { checkedAt: '2026-11-15T12:00:00.001Z' }, {}, {}],
  ['a finer checkedAt', { checkedAt: '2026-11-15T12:00:00.0001Z' }, {}, {}],
  ['a checkedAt without offset', { checkedAt: '2026-11-15T12:00:00.000' }, {}, {}],
  ['another expiresAt', { expiresAt: '2026-11-15T14:00:00.000Z' }, {}, {}],
  ['another result', { result: 'FAIL' }, {}, {}],
  ['an attestation', { attestation: 'test:signed' }, {}, {}],
] as const)('facts are refused: %s', (_why, item, review, check) => {
  const facts = factsOf(
    { ...ITEM!, ...item },
    review === null ? null : ({ ...approved, ...review } as Review),
    { ...CHECK, ...check },
  );
  expect(facts.kind).toBe('rejected');
});

test('the holder of the key may have approved other controls, or this one if its rule says so', () => {
  const check = { ...CHECK, keyOwners: ['per_1'] };
  const reviewOf = (controls: readonly string[], rules = RULES): Review => ({
    ...opened(rules),
    ...{ state: 'approved', resolvedAtMs: T0, validUntilMs: T0 + HOUR },
    restsOn: [{ kind: 'person', id: 'per_1', epoch: 1, controls }],
  });
  const rules = { ...RULES, a: ruleOf({ selfReview: true }) };
  expect(factsOf(ITEM!, reviewOf(['b']), check).kind).toBe('verified');
  expect(factsOf(ITEM!, reviewOf(['a']), check).kind).toBe('rejected');
  expect(factsOf(ITEM!, reviewOf(['a'], rules), { ...check, controlOf: controlsOf(rules) }).kind).toBe(
    'verified',
  );
});

test('an approval that is too old for its control is left to the engine, which reports stale', () => {
  const check = { ...CHECK, nowMs: T0 + 2, controlOf: controlsOf(RULES, { a: 1 }) };
  expect(factsOf(ITEM!, approved, check).kind).toBe('verified');
});
