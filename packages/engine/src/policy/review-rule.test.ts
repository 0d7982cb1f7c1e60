import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { pack, profile } from '../../test/documents.ts';
import { EMPTY_SNAPSHOT } from './build-snapshot.ts';
import { compile } from './compile.ts';

function controlOf(review: unknown, more: object = {}) {
  const compiled = compile([pack({ c: { assurance: 'attested', review, ...more } })]);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.snapshot.controlOf('c');
}

function faultsOf(...documents: readonly unknown[]) {
  const compiled = compile(documents);
  return compiled.kind === 'invalid' ? compiled.faults.map(({ pointer, message }) => [pointer, message]) : [];
}

describe('the review rule', () => {
  test.each([
    [
      {
        groups: ['risk', 'finance', 'risk'],
        approvals: 2,
        identity: 'passkey',
        expiresIn: '24h',
        holdsFor: '2h',
        selfReview: false,
      },
      '{"approvals":2,"groups":["finance","risk"],"holdsFor":7200,"identity":"passkey"}',
      'ce348f13cc6989a635bb5a60ce2cb929614eff29dfa1f08fa7ce6a1fc9d3ce62',
    ],
    [true, '{}', '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'],
  ])('%o has one canonical form', (review, canonical, digest) => {
    const rule = controlOf(review).review!;
    expect(rule.canonical).toBe(canonical);
    expect(createHash('sha256').update(rule.canonical).digest('hex')).toBe(digest);
  });

  test('does not depend on the spelling of a default or a duration', () => {
    const same = { approvals: 1, identity: 'person', expiresIn: '1d', holdsFor: '60m', selfReview: false };
    expect(controlOf(same).review).toEqual(controlOf(true).review);
  });

  test('of a control without `review` is none, unless no bundle was ever applied', () => {
    expect(EMPTY_SNAPSHOT.controlOf('c').review).toEqual({
      groups: null,
      approvals: 1,
      identity: 'any',
      expiresInMs: 86_400_000,
      holdsForMs: 3_600_000,
      selfReview: false,
      canonical: '{"identity":"any"}',
    });
    const applied = compile([]);
    expect(applied.kind === 'snapshot' && applied.snapshot.controlOf('c').review).toBeNull();
  });
});

describe('a review is refused', () => {
  const review = (value: unknown, more: object = { assurance: 'attested' }) =>
    faultsOf(pack({ c: { review: value, ...more } }));

  test.each<[unknown, object, string, RegExp]>([
    [true, {}, '/controls/c/review', /needs `assurance: attested`/],
    [true, { assurance: 'attested', onUnmet: 'block' }, '/controls/c/review', /onUnmet: block/],
    [false, { assurance: 'attested' }, '/controls/c/review', /must be `true`, or omitted/],
    [{ groups: [] }, { assurance: 'attested' }, '/controls/c/review/groups', /at least 1/],
    [{ approvals: 0 }, { assurance: 'attested' }, '/controls/c/review/approvals', /from 1 to 5/],
    [{ approvals: 6 }, { assurance: 'attested' }, '/controls/c/review/approvals', /from 1 to 5/],
    [{ approvals: 1.5 }, { assurance: 'attested' }, '/controls/c/review/approvals', /whole number/],
    [{ approvals: '2' }, { assurance: 'attested' }, '/controls/c/review/approvals', /whole number/],
    [
      { approvals: 2, identity: 'any' },
      { assurance: 'attested' },
      '/controls/c/review/identity',
      /need `identity: person`/,
    ],
    [{ identity: 'key' }, { assurance: 'attested' }, '/controls/c/review/identity', /`passkey`/],
    [{ expiresIn: '59s' }, { assurance: 'attested' }, '/controls/c/review/expiresIn', /from 1m to 30d/],
    [{ expiresIn: '31d' }, { assurance: 'attested' }, '/controls/c/review/expiresIn', /from 1m to 30d/],
    [{ holdsFor: '8d' }, { assurance: 'attested' }, '/controls/c/review/holdsFor', /from 1m to 7d/],
    [{ approval: 2 }, { assurance: 'attested' }, '/controls/c/review/approval', /did you mean `approvals`/],
  ])('%o with %o', (value, more, pointer, message) => {
    expect(review(value, more)).toEqual([[pointer, expect.stringMatching(message)]]);
  });

  test('but not at the ends of its ranges', () => {
    for (const settings of [
      { approvals: 5, expiresIn: '30d', holdsFor: '7d' },
      { approvals: 1, identity: 'any', expiresIn: '1m', holdsFor: '1m', selfReview: true },
    ])
      expect(review(settings)).toEqual([]);
  });
});

test('no evidence source may be named after the review desk', () => {
  expect(faultsOf({ kind: 'EvidenceSource', id: 'review-desk', keys: { keys: [] } })).toEqual([
    ['/id', expect.stringMatching(/built-in source of reviews/)],
  ]);
});

describe('confirmedBy is refused', () => {
  const confirmed = (more: object = {}) =>
    profile({ authority: { required: true, confirmedBy: 'c' }, ...more });
  const reviewable = pack({ c: { assurance: 'attested', review: true } });

  test('unless a pack defines the control with a review', () => {
    expect(faultsOf(confirmed(), reviewable)).toEqual([]);
    const refused = [['/authority/confirmedBy', expect.stringMatching(/defines `c` with `review`/)]];
    expect(faultsOf(confirmed())).toEqual(refused);
    expect(faultsOf(confirmed(), pack({ c: { assurance: 'attested' } }))).toEqual(refused);
  });

  test('if a mismatch blocks', () => {
    expect(faultsOf(confirmed({ writePolicy: 'block_on_mismatch' }), reviewable)).toEqual([
      ['/authority/confirmedBy', expect.stringMatching(/block_on_mismatch/)],
    ]);
  });
});

describe('a permit is refused', () => {
  test.each<[object, string]>([
    [{ require: ['a'] }, '/require'],
    [{ authority: 'required' }, '/authority'],
    [{ compare: 'number' }, '/compare'],
    [{ absent: 'skip' }, '/absent'],
    [{ writePolicy: 'block_on_mismatch' }, '/writePolicy'],
  ])('with %o', (more, pointer) => {
    expect(faultsOf(profile({ permit: true, ...more }))).toEqual([
      [pointer, expect.stringMatching(/^`permit` cannot go with/)],
    ]);
  });

  test('if a workflow names it', () => {
    const flow = { kind: 'Workflow', id: 'w', profiles: ['profile'] };
    expect(faultsOf(profile({ permit: true }), flow)).toEqual([
      ['/profiles/0', expect.stringMatching(/is a permit, which no Workflow may name/)],
    ]);
  });

  test('if it is false', () => {
    expect(faultsOf(profile({ permit: false }))).toEqual([['/permit', expect.stringMatching(/`true`/)]]);
  });
});
