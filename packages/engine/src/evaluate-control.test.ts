import { type AttestationChecks, type EvidenceItem, MINUTE_MS, NO_ATTESTATION } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { control, item, NOW_MS, verified } from '../test/plain-snapshot.ts';
import { evaluateControl, isSatisfied } from './evaluate-control.ts';
import type { Control } from './policy/snapshot.ts';
import type { Purpose } from './why-untrusted.ts';

function at(ms: number) {
  return new Date(ms).toISOString();
}

/** One control over items that carry no attestation. */
function evaluate(more: Partial<Control>, ...items: readonly EvidenceItem[]) {
  const facts = items.map(() => NO_ATTESTATION);
  return evaluateControl(control('c', more), { items, facts, nowMs: NOW_MS });
}

/** One control over one attested item. */
function attested(more: Partial<Control>, facts: AttestationChecks | undefined, purpose?: Purpose) {
  const items = [item('c', { attestation: 'jws' })];
  return evaluateControl(
    control('c', more),
    { items, facts: facts === undefined ? [] : [facts], nowMs: NOW_MS },
    purpose,
  );
}

describe('an evaluation', () => {
  test('of a good item is complete', () => {
    const { evaluation, item: shown, distrust } = evaluate({}, item('c', { evidenceRef: 'ref-1' }));
    expect(evaluation).toEqual({
      controlId: 'c',
      present: true,
      result: 'PASS',
      source: 'okta',
      checkedAt: '2026-11-15T11:59:00Z',
      evidenceRef: 'ref-1',
      fresh: true,
      status: 'satisfied',
      code: 'CONTROL_SATISFIED',
      effect: 'allow',
      authorityState: 'valid',
    });
    expect(shown?.evidenceRef).toBe('ref-1');
    expect(distrust).toBeNull();
  });

  test('of no item is missing, without members for what does not exist', () => {
    const { evaluation, item: shown, facts, goodUntilMs, distrust } = evaluate({}, item('other'));
    expect(evaluation).toEqual({
      controlId: 'c',
      present: false,
      status: 'missing',
      code: 'CONTROL_EVIDENCE_MISSING',
      effect: 'pause',
      authorityState: 'unknown',
    });
    expect([shown, facts, goodUntilMs, distrust]).toEqual([null, { kind: 'none' }, null, null]);
  });

  test.each([
    ['missing', {}, [], 'pause', 'unknown'],
    ['failed', {}, [item('c', { result: 'FAIL' })], 'block', 'unknown'],
    ['failed', { onFailed: 'pause' }, [item('c', { result: 'FAIL' })], 'pause', 'unknown'],
    [
      'revoked',
      { onUnmet: 'pause', onFailed: 'pause' },
      [item('c', { result: 'REVOKED' })],
      'block',
      'revoked',
    ],
    ['unrecognized', {}, [item('c', { result: 'pass' })], 'pause', 'unknown'],
    ['unrecognized', { onUnmet: 'block' }, [item('c', { result: '' })], 'block', 'unknown'],
    ['stale', { maxAgeMs: MINUTE_MS - 1 }, [item('c')], 'pause', 'stale'],
    ['stale', { maxAgeMs: 1, onUnmet: 'block' }, [item('c')], 'block', 'stale'],
    ['expired', {}, [item('c', { expiresAt: at(NOW_MS) })], 'pause', 'expired'],
    ['untrusted', { sources: ['sap'] }, [item('c')], 'pause', 'unknown'],
    ['satisfied', { sources: ['sap', 'okta'] }, [item('c')], 'allow', 'valid'],
  ] as const)('is %s under %o', (status, more, items, effect, authorityState) => {
    const evaluated = evaluate(more, ...items);
    expect(evaluated.evaluation).toMatchObject({ status, effect, authorityState });
    expect(isSatisfied(evaluated)).toBe(status === 'satisfied');
  });
});

describe('of several items', () => {
  const RANKED = [
    item('c', { result: 'REVOKED' }),
    item('c', { result: 'FAIL' }),
    item('c', { result: 'OK' }),
    item('c'),
    item('c', { checkedAt: at(NOW_MS - 10 * MINUTE_MS) }),
    item('c', { expiresAt: at(NOW_MS - 1) }),
    item('c', { source: 'elsewhere' }),
  ];
  const more = { maxAgeMs: 5 * MINUTE_MS, sources: ['okta'] };

  test.each(RANKED.slice(1).map((weaker, index) => [RANKED[index]!, weaker] as const))(
    'the one that counts before the other is shown, in either order (%o, %o)',
    (stronger, weaker) => {
      for (const items of [
        [stronger, weaker],
        [weaker, stronger],
      ])
        expect(evaluate(more, ...items).item).toBe(stronger);
    },
  );

  const shownOf = (...items: readonly EvidenceItem[]) => {
    const shown = evaluate({}, ...items).item;
    expect(evaluate({}, ...items.toReversed()).item).toBe(shown);
    return shown;
  };

  test('among equally good items, the one checked last is shown, and an item without a time comes last', () => {
    const older = item('c', { checkedAt: at(NOW_MS - 2) });
    const newer = item('c', { checkedAt: at(NOW_MS - 1), source: 'zz' });
    const { checkedAt: _, ...timeless } = item('c', { source: 'aa' });
    expect(shownOf(older, newer)).toBe(newer);
    expect(shownOf(older, timeless)).toBe(older);
    expect(shownOf(timeless, newer, older)).toBe(newer);
  });

  test('of equally old items, the first source is shown, and then the first in canonical form', () => {
    const a = item('c', { source: 'a', evidenceRef: 'z' });
    const b = item('c', { source: 'b', evidenceRef: 'y' });
    expect(shownOf(a, b)).toBe(a);
    const c = item('c', { evidenceRef: 'c' });
    const d = item('c', { evidenceRef: 'd' });
    expect(shownOf(c, d)).toBe(c);
  });

  test('the facts are those of the item that is shown', () => {
    const items = [item('other'), item('c'), item('c', { result: 'FAIL' })];
    const facts = [verified({ jti: 'no' }), verified({ jti: 'not this' }), verified({ jti: 'this' })];
    expect(evaluateControl(control('c'), { items, facts, nowMs: NOW_MS }).facts).toMatchObject({
      jti: 'this',
    });
  });
});

describe('age', () => {
  test.each([
    ['as old as allowed', 'satisfied', true, NOW_MS - 5 * MINUTE_MS],
    ['a millisecond older', 'stale', false, NOW_MS - 5 * MINUTE_MS - 1],
    ['a minute ahead', 'satisfied', true, NOW_MS + MINUTE_MS],
    ['a millisecond further ahead', 'untrusted', false, NOW_MS + MINUTE_MS + 1],
  ] as const)('%s is %s', (_, status, fresh, checkedAtMs) => {
    const { evaluation } = evaluate({ maxAgeMs: 5 * MINUTE_MS }, item('c', { checkedAt: at(checkedAtMs) }));
    expect(evaluation).toMatchObject({ status, fresh });
  });

  test('that is unknown is stale under a maximum and does not matter otherwise', () => {
    const { checkedAt: _, ...timeless } = item('c');
    const local = item('c', { checkedAt: '2026-11-15T11:59:00' });
    for (const unplaced of [timeless, local, item('c', { checkedAt: 'yesterday' })]) {
      expect(evaluate({ maxAgeMs: MINUTE_MS }, unplaced).evaluation).toMatchObject({
        status: 'stale',
        fresh: false,
      });
      const { evaluation } = evaluate({}, unplaced);
      expect(evaluation.status).toBe('satisfied');
      expect(evaluation.fresh).toBeUndefined();
    }
    expect(evaluate({}, timeless).evaluation.checkedAt).toBeUndefined();
  });

  test('without a maximum is fresh, however old, unless it lies ahead', () => {
    expect(evaluate({}, item('c', { checkedAt: '2001-01-01T00:00:00Z' })).evaluation.fresh).toBe(true);
    expect(evaluate({}, item('c', { checkedAt: '2027-01-01T00:00:00Z' })).evaluation).toMatchObject({
      status: 'untrusted',
      fresh: false,
    });
  });

  test('is taken from the verified claim, which is shown if the item names no time', () => {
    const { checkedAt: _, ...timeless } = item('c', { attestation: 'jws' });
    const facts = [verified({ checkedAtMs: NOW_MS - 2 * MINUTE_MS })];
    const evaluateClaim = (maxAgeMs: number) =>
      evaluateControl(control('c', { maxAgeMs }), { items: [timeless], facts, nowMs: NOW_MS });
    expect(evaluateClaim(2 * MINUTE_MS).evaluation).toMatchObject({
      status: 'satisfied',
      checkedAt: '2026-11-15T11:58:00.000Z',
    });
    expect(evaluateClaim(2 * MINUTE_MS - 1).evaluation.status).toBe('stale');
  });
});

describe('expiry', () => {
  test.each([
    ['that lies ahead', 'satisfied', at(NOW_MS + 1)],
    ['that is now', 'expired', at(NOW_MS)],
    ['without an offset', 'expired', '2030-01-01T00:00:00'],
    ['that is no time', 'expired', 'never'],
  ])('%s makes the item %s', (_, status, expiresAt) => {
    expect(evaluate({}, item('c', { expiresAt })).evaluation.status).toBe(status);
  });

  test('of the attestation counts as well as that of the item', () => {
    expect(attested({}, verified({ expiresAtMs: NOW_MS + 1 })).evaluation.status).toBe('satisfied');
    expect(attested({}, verified({ expiresAtMs: NOW_MS })).evaluation.status).toBe('expired');
    expect(attested({}, verified({ expiresAtMs: NOW_MS - 1 })).evaluation.status).toBe('expired');
    const items = [item('c', { attestation: 'jws', expiresAt: at(NOW_MS - 1) })];
    expect(
      evaluateControl(control('c'), { items, facts: [verified()], nowMs: NOW_MS }).evaluation.status,
    ).toBe('expired');
  });
});

describe('a satisfied control', () => {
  test.each([
    ['never, without age and expiry', {}, {}, null],
    ['with its age', { maxAgeMs: 3 * MINUTE_MS }, {}, NOW_MS + 2 * MINUTE_MS],
    ['with its expiry', {}, { expiresAt: at(NOW_MS + 7) }, NOW_MS + 7],
    ['with the sooner of both', { maxAgeMs: 3 * MINUTE_MS }, { expiresAt: at(NOW_MS + 7) }, NOW_MS + 7],
    [
      'with the sooner of both, the other way round',
      { maxAgeMs: MINUTE_MS },
      { expiresAt: at(NOW_MS + 7) },
      NOW_MS,
    ],
  ] as const)('ends %s', (_, more, itemMore, goodUntilMs) => {
    expect(evaluate(more, item('c', itemMore)).goodUntilMs).toBe(goodUntilMs);
  });

  test('ends with its attestation, if that comes first', () => {
    expect(attested({}, verified({ expiresAtMs: NOW_MS + 5 })).goodUntilMs).toBe(NOW_MS + 5);
    expect(attested({ maxAgeMs: MINUTE_MS }, verified({ expiresAtMs: NOW_MS + 5 })).goodUntilMs).toBe(NOW_MS);
    expect(attested({ maxAgeMs: MINUTE_MS }, verified({ expiresAtMs: null })).goodUntilMs).toBe(NOW_MS);
  });

  test('is the only one with an end', () => {
    expect(evaluate({ maxAgeMs: 1 }, item('c')).goodUntilMs).toBeNull();
    expect(evaluate({ maxAgeMs: MINUTE_MS }, item('c', { result: 'FAIL' })).goodUntilMs).toBeNull();
  });
});

describe('trust', () => {
  const SOURCE = 'its source is not among those the control accepts';
  const UNSIGNED = 'it carries no attestation, and the control requires one';
  const UNVERIFIED = 'its attestation was not verified';
  const UNBOUND = 'its attestation is not bound to this intent';
  const ENDLESS = 'its attestation never expires';
  const USED = 'its attestation was used before';
  const AHEAD = 'it is dated in the future';

  test('an unsigned statement is accepted if nothing else is required', () => {
    expect(evaluate({}, item('c')).distrust).toBeNull();
    expect(evaluate({ assurance: 'attested' }, item('c')).distrust).toBe(UNSIGNED);
    expect(
      evaluateControl(
        control('c'),
        { items: [item('c')], facts: [NO_ATTESTATION], nowMs: NOW_MS },
        'attestedBy',
      ).distrust,
    ).toBe(UNSIGNED);
    expect(
      evaluateControl(control('c'), { items: [item('c')], facts: [], nowMs: NOW_MS }).distrust,
    ).toBeNull();
    expect(
      evaluateControl(control('c', { assurance: 'attested' }), {
        items: [item('c')],
        facts: [],
        nowMs: NOW_MS,
      }).distrust,
    ).toBe(UNSIGNED);
  });

  test.each([
    ['a sound attestation', {}, verified(), null],
    ['one that nobody looked at', {}, NO_ATTESTATION, UNVERIFIED],
    ['one whose facts are not there at all', {}, undefined, UNVERIFIED],
    ['one that was rejected', {}, { kind: 'rejected', why: 'forged' } as const, 'forged'],
    ['one bound to nothing', {}, verified({ boundToDigest: false }), UNBOUND],
    ['one bound to the object only', {}, verified({ boundToDigest: false, boundToObject: true }), UNBOUND],
    [
      'one bound to the object, which is asked',
      { bindObject: true },
      verified({ boundToDigest: false, boundToObject: true }),
      null,
    ],
    [
      'one bound to nothing, the object asked',
      { bindObject: true },
      verified({ boundToDigest: false }),
      UNBOUND,
    ],
    ['one bound to the digest, the object asked', { bindObject: true }, verified(), null],
    ['one without an end', {}, verified({ expiresAtMs: null }), ENDLESS],
    [
      'one without an end under a maximal age',
      { maxAgeMs: MINUTE_MS },
      verified({ expiresAtMs: null }),
      null,
    ],
    ['one used before', {}, verified({ usedUp: true }), null],
    ['one used before that may be used once', { useOnce: true }, verified({ usedUp: true }), USED],
    ['a fresh one that may be used once', { useOnce: true }, verified(), null],
    ['one of the future', {}, verified({ checkedAtMs: NOW_MS + MINUTE_MS + 1 }), AHEAD],
    ['one of another source', { sources: ['sap'] }, verified(), SOURCE],
  ])('%s', (_, more, facts, distrust) => {
    const evaluated = attested(more, facts);
    expect(evaluated.distrust).toBe(distrust);
    expect(evaluated.evaluation.status).toBe(distrust === null ? 'satisfied' : 'untrusted');
  });

  test('facts without an attestation in the item are still judged', () => {
    const facts: AttestationChecks[] = [{ kind: 'rejected', why: 'forged' }];
    expect(evaluateControl(control('c'), { items: [item('c')], facts, nowMs: NOW_MS }).distrust).toBe(
      'forged',
    );
  });

  test('authority is attested only by an attestation bound to the digest', () => {
    const object = verified({ boundToDigest: false, boundToObject: true });
    expect(attested({ bindObject: true }, object, 'attestedBy').distrust).toBe(UNBOUND);
    expect(attested({ bindObject: true }, verified(), 'attestedBy').distrust).toBeNull();
  });

  test('a revoked attestation counts as revoked, whatever else is wrong with it', () => {
    const { evaluation, distrust } = attested({ sources: ['sap'] }, verified({ revoked: true }));
    expect(evaluation.status).toBe('revoked');
    expect(distrust).toBeNull();
  });
});
