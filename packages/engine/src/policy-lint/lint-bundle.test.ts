import { describe, expect, test } from 'vitest';
import { ED25519_JWK } from '../../test/keys.ts';
import { compile } from '../policy/compile.ts';
import { lintBundle } from './lint-bundle.ts';
import { isNeverTrue } from './never-true.ts';

function warnings(...documents: readonly object[]): readonly string[] {
  const compiled = compile(documents);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return lintBundle(compiled.documents).map(({ pointer }) => pointer);
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

test('a control that no pack defines is reported, unless there is no pack', () => {
  expect(warnings({ ...P, require: ['aproval'] }, pack({}))).toEqual(['/require/0']);
  expect(warnings({ ...P, require: ['aproval'] })).toEqual([]);
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

  test('should be fresh, unless they count once', () => {
    expect(told({ maxAge: '6m' })).toEqual(['/when']);
    expect(told({ maxAge: '5m' })).toEqual([]);
    expect(told({ maxAge: '6m', use: 'once' })).toEqual([]);
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
