import { describe, expect, test } from 'vitest';
import { ED25519_JWK } from '../../test/keys.ts';
import { compile } from '../policy/compile.ts';
import { lintBundle } from './lint-bundle.ts';
import { isNeverTrue } from './never-true.ts';

const NOW_MS = Date.parse('2026-11-15T12:00:00Z');
const TEST = {
  kind: 'PolicyTest',
  id: 't',
  intent: { system: 'erp', operation: 'x' },
  now: '2026-11-15T12:00:00Z',
  expect: { decision: 'pause' },
};

function warnings(...documents: readonly object[]): readonly string[] {
  const compiled = compile([...documents, TEST]);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return lintBundle(compiled.documents, NOW_MS).map(({ pointer }) => pointer);
}

describe('a condition that can never be true', () => {
  const a = 'intent.metadata.a';
  test.each([
    'false',
    '!true',
    `${a} > 10.0 && ${a} < 5.0`,
    `${a} > 10.0 && ${a} <= 10.0`,
    `10.0 < ${a} && ${a} == 10`,
    `${a} == "x" && ${a} == "y"`,
    `${a} == "x" && ${a} != "x"`,
    `${a} in ["x", "y"] && ${a} == "z"`,
    `(${a} > 2.0 && ${a} < 1.0) || false`,
    `${a} != ${a}`,
  ])('%s', (source) => {
    expect(isNeverTrue(source, new Map())).toBe(true);
  });

  test.each([
    'true',
    `${a} > 10.0 && ${a} < 50.0`,
    `${a} >= 10.0 && ${a} <= 10`,
    `${a} > 10.0 || ${a} < 5.0`,
    `${a} in ["x", "y"] && ${a} != "x"`,
    `${a} == intent.metadata.b`,
    `${a}.startsWith("x") && ${a}.startsWith("y")`,
    `!(${a} > 1.0) && ${a} > 0.5`,
  ])('is not this one: %s', (source) => {
    expect(isNeverTrue(source, new Map())).toBe(false);
  });

  test('is reported, even if the match rules it out', () => {
    const profile = (match: object, when: string) => ({
      kind: 'Profile',
      id: 'p',
      match,
      when,
      require: ['x'],
    });
    expect(warnings(profile({}, 'false'))).toEqual(['/when']);
    const other = { kind: 'Profile', id: 'all', require: ['x'] };
    const exact = (field: string, when: string) =>
      warnings({ ...profile({ field }, when), authority: 'required' }, other);
    expect(exact('123', 'intent.field == "124"')).toEqual(['/when']);
    expect(exact('iban', 'intent.metadata.a == 1.0 && intent.field != "124"')).toEqual([]);
  });
});

const P = { kind: 'Profile', id: 'p', require: ['approval'] };
function pack(approval: object) {
  return { kind: 'ControlPack', id: 'core', controls: { approval } };
}
function okta(...keys: readonly unknown[]) {
  return { kind: 'EvidenceSource', id: 'okta', keys: { keys } };
}

test('a control that nobody can satisfy is reported', () => {
  const attested = { assurance: 'attested' };
  expect(warnings(P, pack(attested))).toEqual(['/controls/approval']);
  expect(warnings(P, pack(attested), okta(ED25519_JWK))).toEqual([]);
  expect(warnings(P, pack({ ...attested, sources: ['desk'] }), okta(ED25519_JWK))).toEqual([
    '/controls/approval',
  ]);
  expect(warnings(P, pack({ maxAge: '0s' }))).toEqual(['/controls/approval/maxAge']);
  expect(warnings(P, pack({}), okta())).toEqual(['/keys/keys']);
  expect(warnings({ ...P, authority: { attestedBy: 'approval' } }, pack({}))).toEqual([
    '/authority/attestedBy',
  ]);
});

test('a control that nobody may satisfy is reported only if an agent or somebody can satisfy it', () => {
  const never = { sources: ['nobody'], assurance: 'attested', onUnmet: 'block' };
  expect(warnings(P, pack(never))).toEqual([]);
  expect(warnings(P, pack({ sources: ['nobody'], onUnmet: 'block' }))).toEqual(['/controls/approval']);
  const nobody = { ...okta(ED25519_JWK), id: 'nobody' };
  expect(warnings(P, pack(never), nobody)).toEqual(['/id']);
});

test('an approval that any signature can replace is reported', () => {
  const reviewable = { assurance: 'attested', review: true };
  expect(warnings(P, pack(reviewable), okta(ED25519_JWK))).toEqual(['/controls/approval']);
  expect(warnings(P, pack({ ...reviewable, sources: ['review-desk'] }), okta(ED25519_JWK))).toEqual([]);
  expect(warnings(P, pack({ ...reviewable, sources: ['okta'] }), okta(ED25519_JWK))).toEqual([]);
});

describe('a condition that is case-sensitive', () => {
  const reading = (when: string) => warnings({ ...P, match: { system: 'erp', operation: 'pay*' }, when });
  test.each([
    'intent.operation == "pay"',
    '!("pay" != intent.operation)',
    'intent.operation in ["7", "pay"]',
    'intent.system.startsWith("e")',
    'intent.metadata.list.exists(x, x == 1.0 && intent.operation == "pay")',
  ])('on a member that a match compares is reported: %s', (when) => {
    expect(reading(when)).toEqual(['/when']);
  });

  test.each(['intent.operation == "7"', 'intent.metadata.kind == "a"', 'intent.operation == intent.system'])(
    'on any other member is not: %s',
    (when) => {
      expect(reading(when)).toEqual([]);
    },
  );

  test('is reported in a limit too', () => {
    const limit = { kind: 'Limit', id: 'l', match: { system: 'erp' }, max: 1, per: 'day' };
    expect(warnings({ ...limit, when: 'intent.operation == "pay"' })).toEqual(['/when']);
  });
});

test('reviews, permits and confirmations without effect are reported', () => {
  const reviewable = { assurance: 'attested', review: true };
  expect(warnings(P, pack(reviewable))).toEqual([]);
  expect(warnings({ ...P, require: ['other'] }, pack(reviewable))).toContain('/controls/approval');
  expect(warnings(P, pack({ ...reviewable, maxAge: '5m' }))).toEqual(['/controls/approval/maxAge']);
  expect(warnings(P, pack({ sources: ['review-desk'] }))).toEqual(['/controls/approval/sources']);
  const confirmed = (authority: object) => ({ ...P, require: [], authority });
  expect(warnings(confirmed({ confirmedBy: 'approval' }), pack(reviewable))).toEqual([]);
  expect(warnings(confirmed({ required: false, confirmedBy: 'approval' }), pack(reviewable))).toEqual([
    '/authority/confirmedBy',
  ]);
  const permit = { kind: 'Profile', id: 'notes', permit: true };
  expect(warnings(permit)).toEqual(['']);
  const scoped = { ...permit, match: { system: 'crm' } };
  expect(warnings(scoped)).toEqual([]);
  expect(warnings(scoped, P)).toEqual(['/permit']);
  expect(warnings({ ...scoped, when: 'false' })).toEqual(['/when']);
});

test('a misspelled, an unused and an undefined control are reported', () => {
  expect(warnings({ ...P, require: ['aproval'] }, pack({}))).toEqual(
    ['/require/0', '/controls/approval'].sort().reverse(),
  );
  expect(warnings({ kind: 'Profile', id: 'p' })).toEqual(['']);
});

test('an observation that ended is reported, and a bundle without tests', () => {
  const observing = { writePolicy: 'observe', observeUntil: '2026-11-01T00:00:00Z' };
  expect(warnings({ ...P, ...observing })).toEqual(['/observeUntil']);
  const compiled = compile([P]);
  expect(compiled.kind === 'snapshot' && lintBundle(compiled.documents, NOW_MS)).toHaveLength(1);
});

describe('profiles for fields and for operations in one system', () => {
  const fields = {
    kind: 'Profile',
    id: 'bank',
    match: { system: 'erp', objectType: 'vendor', field: 'iban' },
    authority: 'required',
  };
  const operations = {
    kind: 'Profile',
    id: 'refunds',
    match: { system: ['ERP', 'crm'], operation: 'refund.*' },
    require: ['approval'],
  };

  test("catch each other's writes, unless they skip absent members", () => {
    expect(warnings(fields, operations)).toEqual(['/match/field', '/match/operation']);
    expect(warnings({ ...fields, absent: 'skip' }, operations)).toEqual(['/match/operation']);
    expect(warnings({ ...fields, absent: 'skip' }, { ...operations, absent: 'skip' })).toEqual([]);
  });

  test('do not overlap if the system, or for a field the object type, separates them', () => {
    const apart = { ...operations, match: { system: 'crm', operation: 'refund.*' } };
    expect(warnings(fields, apart, { kind: 'Defaults', unmatched: 'pause' })).toEqual([]);
    const typed = { ...operations, match: { system: 'erp', objectType: 'refund', operation: 'refund.*' } };
    expect(warnings(fields, typed)).toEqual(['/match/field']);
    const precise = { ...fields, match: { ...fields.match, operation: 'vendor.update' } };
    expect(warnings(precise, operations)).toEqual([]);
  });
});

describe('members that a caller may add', () => {
  const fields = {
    kind: 'Profile',
    id: 'bank',
    match: { system: 'erp', field: 'iban' },
    authority: 'required',
  };
  const pausing = { kind: 'Defaults', unmatched: { pause: { system: ['erp', 'crm'] } } };

  test('a field beside an operation that no profile is about is reported', () => {
    expect(warnings(fields)).toEqual(['/match/field']);
    expect(warnings(fields, pausing)).toEqual([]);
    expect(warnings(fields, { kind: 'Defaults', unmatched: { pause: { system: 'crm' } } })).toEqual([
      '/match/field',
    ]);
    expect(
      warnings(fields, { kind: 'Profile', id: 'all', match: { system: 'erp' }, require: ['x'] }),
    ).toEqual([]);
    const permit = {
      kind: 'Profile',
      id: 'notes',
      permit: true,
      match: { system: 'erp', operation: 'note' },
    };
    expect(warnings(fields, permit)).toEqual(['/match/field']);
  });

  test('a member that a condition reads and such a write may omit is reported', () => {
    const reading = (when: string, match: object = { system: 'erp', operation: 'pay' }) =>
      warnings({ ...P, match, when, authority: 'required' }, pausing);
    expect(reading('intent.workflowId == "w"')).toEqual(['/when']);
    expect(reading('intent.authoritySource == "me"')).toEqual(['/when']);
    expect(reading('intent.field == "7"')).toEqual(['/when']);
    expect(reading('intent.agentValue == "x"')).toEqual(['/when']);
    expect(reading('intent.operation == "7"')).toEqual([]);
    expect(reading('intent.metadata.context.amount > 1.0 && intent.system == "7"')).toEqual([]);
    const field = { system: 'erp', field: 'iban' };
    expect(reading('intent.agentValue == "x"', field)).toEqual([]);
    expect(reading('intent.operation == "7"', field)).toEqual(['/when']);
  });
});

test('a match on `field` that implicitly requires the values is reported', () => {
  const match = { system: 'erp', field: 'iban' };
  const implied = (more: object) =>
    warnings({ ...P, match, ...more }, { kind: 'Defaults', unmatched: 'pause' });
  expect(implied({})).toEqual(['/match/field']);
  expect(implied({ authority: 'required' })).toEqual([]);
  expect(implied({ authority: { required: false } })).toEqual([]);
  expect(implied({ writePolicy: 'block_on_mismatch' })).toEqual([]);
});

test('an `absent: skip` without effect is reported', () => {
  const skipping = (match: object) =>
    warnings(
      { ...P, match, absent: 'skip', authority: 'required' },
      { kind: 'Defaults', unmatched: 'pause' },
    );
  expect(skipping({ system: 'erp' })).toEqual(['/absent']);
  expect(skipping({ field: 'a', operation: 'b' })).toEqual(['/absent']);
  expect(skipping({ field: 'a' })).toEqual([]);
});

test('a profile that requires nothing gets a warning with the consequence', () => {
  const compiled = compile([{ kind: 'Profile', id: 'small', match: { system: 'erp' } }, TEST]);
  if (compiled.kind === 'invalid') throw new Error('it compiles');
  const [warning] = lintBundle(compiled.documents, NOW_MS);
  expect(warning!.message).toContain('pauses with `authority_unverified` unless');
});

describe('facts that a permit reads', () => {
  const source = { kind: 'EvidenceSource', id: 'erp', keys: { keys: [ED25519_JWK] } };
  const told = (control: object, profile: object = { permit: true }) =>
    warnings(
      source,
      {
        kind: 'ControlPack',
        id: 'c',
        controls: { order: { facts: true, assurance: 'attested', ...control } },
      },
      { kind: 'Profile', id: 'p', match: { system: 'erp' }, when: 'facts.order.total < 5', ...profile },
    );

  test('should be fresh, even if they count once', () => {
    expect(told({ maxAge: '6m' })).toEqual(['/when']);
    expect(told({ maxAge: '5m' })).toEqual([]);
    expect(told({ maxAge: '6m', use: 'once' })).toEqual([]);
    expect(told({ maxAge: '1h', use: 'once' })).toEqual([]);
    expect(told({ maxAge: '1d', use: 'once' })).toEqual(['/when']);
    expect(told({ maxAge: '6m' }, { require: ['order'] })).toEqual([]);
    const limit = {
      kind: 'Limit',
      permit: undefined,
      when: undefined,
      sum: 'facts.order.total',
      max: 5,
      per: 'day',
    };
    expect(
      told({ maxAge: '6m' }, JSON.parse(JSON.stringify({ ...limit, match: { system: 'erp' } }))),
    ).toContain('/sum');
  });
});

test('a rule over facts that an agent can satisfy by its own word is reported', () => {
  const lifting = (approval: object) =>
    warnings(
      okta(ED25519_JWK),
      {
        kind: 'ControlPack',
        id: 'c',
        controls: { approval, order: { facts: true, assurance: 'attested', maxAge: '1m' } },
      },
      { ...P, match: { system: 'erp' }, when: 'facts.order.total > 500' },
    );
  expect(lifting({ sources: ['desk'], onUnmet: 'block' })).toEqual(['/require/0']);
  expect(lifting({ sources: ['okta'], assurance: 'attested' })).toEqual([]);
});
