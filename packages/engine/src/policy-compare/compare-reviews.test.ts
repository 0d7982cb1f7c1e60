/** Tests which changes of reviews, permits and confirmations may loosen. */
import { describe, expect, test } from 'vitest';
import { compile } from '../policy/compile.ts';
import { compareBundles } from './compare-bundles.ts';

function documents(bundle: readonly unknown[]) {
  const compiled = compile(bundle);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.documents;
}

function loosened(before: readonly unknown[], after: readonly unknown[]): readonly string[] {
  const { findings } = compareBundles(documents(before), documents(after));
  return findings.filter(({ kind }) => kind === 'loosens').map(({ pointer }) => pointer);
}

function control(review?: unknown) {
  return {
    kind: 'ControlPack',
    id: 'core',
    controls: { approval: { assurance: 'attested', ...(review === undefined ? {} : { review }) } },
  };
}

describe('a review', () => {
  test.each<[unknown, unknown, string]>([
    [undefined, true, ''],
    [{ approvals: 2 }, true, '/approvals'],
    [{ identity: 'passkey' }, true, '/identity'],
    [true, { identity: 'any' }, '/identity'],
    [true, { expiresIn: '25h' }, '/expiresIn'],
    [true, { holdsFor: '61m' }, '/holdsFor'],
    [true, { selfReview: true }, '/selfReview'],
    [{ groups: ['a'] }, { groups: ['a', 'b'] }, '/groups'],
    [{ groups: ['a'] }, { groups: ['b'] }, '/groups'],
    [{ groups: ['a'] }, true, '/groups'],
  ])('%o may loosen into %o, and not the other way round', (strict, loose, member) => {
    const pointer = `/controls/approval/review${member}`;
    expect(loosened([control(strict)], [control(loose)])).toEqual([pointer]);
    const back = loosened([control(loose)], [control(strict)]);
    // Other groups are different groups in either direction.
    expect(back).toEqual(
      JSON.stringify(strict) === '{"groups":["a"]}' && JSON.stringify(loose) === '{"groups":["b"]}'
        ? [pointer]
        : [],
    );
  });

  test('written differently is the same', () => {
    const same = { groups: ['b', 'a', 'b'], expiresIn: '1d' };
    expect(loosened([control({ groups: ['a', 'b'] })], [control(same)])).toEqual([]);
  });
});

describe('a permit', () => {
  const permit = (match: object | undefined, more: object = {}) => ({
    kind: 'Profile',
    id: 'notes',
    permit: true,
    ...(match === undefined ? {} : { match }),
    ...more,
  });
  const narrow = permit({ system: 'crm', field: 'note' });

  test('loosens if it is new or wider, and not if it is removed', () => {
    expect(loosened([], [narrow])).toEqual(['']);
    expect(loosened([narrow], [permit({ system: 'crm' })])).toEqual(['']);
    expect(loosened([permit({ system: 'crm' })], [narrow])).toEqual([]);
    const rule = { kind: 'Profile', id: 'rule', require: ['x'] };
    expect(loosened([narrow, rule], [rule])).toEqual([]);
    expect(loosened([narrow], [{ ...narrow, id: 'renamed' }])).toEqual([]);
  });

  test('loosens if it loses its condition or begins to enforce', () => {
    const when = 'intent.metadata.context.amount < 10.0';
    expect(loosened([permit({}, { when })], [permit({})])).toEqual(['']);
    expect(loosened([permit({})], [permit({}, { when })])).toEqual([]);
    expect(loosened([permit({}, { writePolicy: 'observe' })], [permit({})])).toEqual(['']);
    const rule = { kind: 'Profile', id: 'rule', require: ['x'] };
    expect(loosened([permit({}), rule], [permit({}, { writePolicy: 'observe' }), rule])).toEqual([]);
  });

  test('may loosen when removed if its condition could err, and has no mode that the default would miss', () => {
    expect(loosened([permit({}, { when: '10 / size(intent.objectRef) > 2' })], [])).toEqual(['/when']);
    const watching = { kind: 'Defaults', writePolicy: 'observe' };
    const rule = { kind: 'Profile', id: 'rule', require: ['x'] };
    expect(loosened([narrow, watching, rule], [watching, rule])).toEqual([]);
  });

  test('does not replace a profile that required something', () => {
    const strict = { kind: 'Profile', id: 'notes', match: { system: 'crm' }, require: ['identity'] };
    expect(loosened([strict], [permit({ system: 'crm' })])).toEqual(['', '']);
    expect(loosened([permit({ system: 'crm' })], [{ ...strict, authority: 'required' }])).toEqual([]);
  });
});

describe('confirmed authority', () => {
  const pack = control(true);
  const profile = (authority: object, more: object = {}) => ({
    kind: 'Profile',
    id: 'p',
    match: { system: 'erp' },
    authority,
    ...more,
  });
  const plain = profile({ required: true });
  const confirmed = profile({ required: true, confirmedBy: 'approval' });
  const pointer = '/authority/confirmedBy';

  test('loosens if it is added, and not if it is removed', () => {
    expect(loosened([pack, plain], [pack, confirmed])).toEqual([pointer]);
    expect(loosened([pack, confirmed], [pack, plain])).toEqual([]);
    expect(loosened([pack], [pack, confirmed])).toEqual([pointer]);
  });

  test('loosens if the profile starts to speak on authority', () => {
    const silent = profile({ required: false, confirmedBy: 'approval' });
    expect(loosened([pack, silent], [pack, confirmed])).toEqual([pointer]);
  });

  test('does not come from a workflow that names the profile', () => {
    const flow = (profiles: readonly string[]) => ({ kind: 'Workflow', id: 'w', require: ['x'], profiles });
    expect(loosened([pack, confirmed, flow([])], [pack, confirmed, flow(['p'])])).toEqual([]);
  });
});

test('`absent: skip` loosens, and removing it does not', () => {
  const profile = (more: object) => ({
    kind: 'Profile',
    id: 'p',
    match: { system: 'erp' },
    when: 'intent.metadata.context.amount > 500.0',
    require: ['approval'],
    authority: 'required',
    ...more,
  });
  expect(loosened([profile({})], [profile({ absent: 'skip' })])).toEqual(['/absent']);
  expect(loosened([profile({ absent: 'skip' })], [profile({})])).toEqual([]);
});
