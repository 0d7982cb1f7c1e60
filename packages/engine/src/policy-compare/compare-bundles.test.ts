import { describe, expect, test } from 'vitest';
import { ED25519_JWK, P256_JWK } from '../../test/keys.ts';
import { compile } from '../policy/compile.ts';
import type { PolicyDocument } from '../policy/documents.ts';
import { compareBundles } from './compare-bundles.ts';
import { mayLoosen } from './findings.ts';

function documents(bundle: readonly unknown[]): readonly PolicyDocument[] {
  const compiled = compile(bundle);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.documents;
}

/** The places where it loosens: `Kind id pointer`. */
function loosened(before: readonly unknown[], after: readonly unknown[]): readonly string[] {
  const { findings } = compareBundles(documents(before), documents(after));
  return findings
    .filter(mayLoosen)
    .map(({ documentKind, id, pointer }) => `${documentKind} ${id} ${pointer}`.trim());
}

const P = { kind: 'Profile', id: 'p', match: { system: 'erp', field: 'iban' }, require: ['identity'] };
const W = { kind: 'Workflow', id: 'w', require: ['dual'] };
function pack(controls: object) {
  return { kind: 'ControlPack', id: 'core', controls };
}
function signer(...keys: unknown[]) {
  return { kind: 'EvidenceSource', id: 'okta', keys: { keys } };
}

test('a bundle is at least as strict as itself', () => {
  const bundle = [P, W, pack({ identity: { maxAge: '1h' } }), signer(ED25519_JWK), { kind: 'Defaults' }];
  expect(compareBundles(documents(bundle), documents(bundle)).findings).toEqual([]);
});

test('every old profile, workflow and default must have a new one', () => {
  expect(loosened([P], [])).toEqual(['Profile p']);
  expect(loosened([W], [])).toEqual(['Workflow w']);
  expect(loosened([{ kind: 'Defaults', unmatched: 'pause' }], [])).toEqual(['Defaults  /unmatched']);
  expect(loosened([{ kind: 'Defaults', writePolicy: 'block_on_mismatch' }], [])).toEqual([
    'Defaults  /writePolicy',
  ]);
  expect(loosened([{ kind: 'Defaults', writePolicy: 'observe' }], [])).toEqual([]);
});

test('with more rules than may apply to one write, any other set of rules may loosen', () => {
  const many = Array.from({ length: 100 }, (_, at) => ({ ...P, id: `many-${at}` }));
  const free = { kind: 'Profile', id: 'free', permit: true, match: { system: 'erp' } };
  expect(loosened([...many, P, free], [...many, P])).toEqual(['Profile many-0']);
  expect(loosened([...many.slice(2), P, free], [...many.slice(2), P])).toEqual([]);
  const watching = { ...P, id: 'o', writePolicy: 'observe' };
  expect(loosened([...many, P, watching], [...many, P])).toEqual([]);
  expect(loosened([...many, watching], many)).toEqual([]);
});

test('another profile that does everything the old one did may replace it', () => {
  expect(loosened([P], [{ ...P, id: 'renamed' }])).toEqual([]);
  expect(loosened([P], [{ ...P, id: 'renamed', require: [] }])).toEqual(['Profile p']);
});

test.each([
  ['erp', 'erp', true],
  ['erp', 'ERP', true],
  ['erp', 'crm', false],
  ['erp', ['crm', 'erp'], true],
  [['erp', 'crm'], 'erp', false],
  ['erp', 'e*', true],
  ['erp-*', 'e*', true],
  ['e*', 'erp-*', false],
  ['a*b*c', 'a*c', true],
  ['a*c', 'a*b*c', false],
  ['a*b', '*', true],
  ['*', 'a*', false],
  [['a*', 'b'], ['b*', 'a*'], true],
  ['*x*', '*x', false],
  ['ab*', 'a*b', false],
])('a match on %j is covered by one on %j: %s', (before, after, isCovered) => {
  const at = (system: unknown) => [{ ...P, match: { ...P.match, system } }];
  expect(loosened(at(before), at(after))).toEqual(isCovered ? [] : ['Profile p /match/system']);
});

test('another member in a match makes it narrower, and so does `absent: skip`', () => {
  const on = (match: object, more: object = {}) => [{ ...P, authority: 'required', match, ...more }];
  expect(loosened(on({ system: 'erp' }), on({ system: 'erp', objectType: 'v' }))).toEqual([
    'Profile p /match/objectType',
  ]);
  expect(loosened(on({ system: 'erp', objectType: 'v' }), on({ system: 'erp' }))).toEqual([]);
  const skip = { absent: 'skip' };
  for (const match of [{ field: 'f' }, { operation: 'o' }]) {
    expect(loosened(on(match), on(match, skip))).toEqual(['Profile p /absent']);
    expect(loosened(on(match, skip), on(match))).toEqual([]);
  }
});

test('a condition must be the same or removed, and one that could err may not be removed', () => {
  const when = (condition?: string) => [{ ...P, ...(condition === undefined ? {} : { when: condition }) }];
  const plain = 'intent.metadata.context.amount > 1000.0';
  expect(loosened(when(plain), when(plain))).toEqual([]);
  expect(loosened(when(plain), when())).toEqual([]);
  expect(loosened(when(), when(plain))).toEqual(['Profile p /when']);
  expect(loosened(when(plain), when(`${plain} || true`))).toEqual(['Profile p /when']);
  const over = (amount: string) => when(`intent.metadata.context.amount ${amount}`);
  expect(loosened(over('> 500.0'), over('> 250.0'))).toEqual([]);
  expect(loosened(over('> 500.0'), over('>= 500'))).toEqual([]);
  expect(loosened(over('>= 500'), over('> 500.0'))).toEqual(['Profile p /when']);
  expect(loosened(over('> 250.0'), over('> 500.0'))).toEqual(['Profile p /when']);
  expect(loosened(over('< 250.0'), over('<= 500.0'))).toEqual([]);
  expect(loosened(over('< 500.0'), over('> 250.0'))).toEqual(['Profile p /when']);
  expect(loosened(over('> 500.0'), when('250.0 < intent.metadata.context.amount'))).toEqual([]);
  expect(loosened(over('> 500.0'), when('intent.metadata.context.other > 250.0'))).toEqual([
    'Profile p /when',
  ]);
  for (const erring of [
    '10 / size(intent.objectRef) > 2',
    'timestamp(intent.metadata.due) < now',
    '-size(intent.objectRef) < 2',
  ]) {
    expect(loosened(when(erring), when()), erring).toEqual(['Profile p /when']);
  }
});

test.each([
  ['amount > 500.0', 'amount > 250.0', 'tightens'],
  ['amount > 250.0', 'amount > 500.0', 'loosens'],
  ['amount > 500.0', 'amount < 250.0', 'unclear'],
  ['amount > 500.0', 'other > 250.0', 'unclear'],
  ['tier == "gold"', 'tier in ["gold", "new"]', 'tightens'],
  ['tier in ["gold", "new"]', 'tier == "gold"', 'loosens'],
  ['tier == "gold"', 'tier != "new"', 'tightens'],
  ['tier == "gold"', 'tier != "gold"', 'unclear'],
  ['tier != "gold"', 'tier == "new"', 'loosens'],
  ['!(tier in ["gold", "new"])', 'tier != "new"', 'tightens'],
  ['tier == "gold" && amount > 500.0', 'tier == "gold" && amount > 250', 'tightens'],
  ['tier == "gold" || amount > 500.0', 'tier in ["gold", "new"] || amount > 250', 'tightens'],
  ['tier == "gold" && amount > 500.0', 'tier in ["gold", "new"] && amount > 750.0', 'unclear'],
  ['tier == "gold" && amount > 500.0', 'tier == "gold" || amount > 500.0', 'unclear'],
  ['tier == "gold" && amount > 500.0', 'amount > 500.0', 'unclear'],
  // A value that is read during evaluation may be unreadable, and for different writes.
  ['(amount > 500.0 && a == b) || tier == "x"', '(amount > 250.0 && a == b) || tier == "x"', 'unclear'],
  ['amount + 1.0 > 500.0', 'amount + 1.0 > 250.0', 'unclear'],
])('the condition `%s` that becomes `%s`: %s', (before, after, expected) => {
  const when = (condition: string) => [
    {
      ...{ ...P, authority: 'required' },
      when: condition.replaceAll(
        /\b(amount|other|tier|a|b)\b(?=[^"]*(?:"[^"]*"[^"]*)*$)/g,
        'intent.metadata.$1',
      ),
    },
  ];
  const { findings } = compareBundles(documents(when(before)), documents(when(after)));
  expect(findings.map(({ kind, pointer }) => `${kind} ${pointer}`)).toEqual([`${expected} /when`]);
});

test('a permit whose condition cannot be compared is unclear, and one that is wider loosens', () => {
  const permit = (when: string) => [
    P,
    { kind: 'Profile', id: 'q', permit: true, match: { system: 'crm' }, when },
  ];
  const kinds = (before: string, after: string) =>
    compareBundles(documents(permit(before)), documents(permit(after))).findings.map(({ kind }) => kind);
  expect(kinds('intent.metadata.a < 5.0', 'intent.metadata.a < 4.0')).toEqual(['tightens']);
  expect(kinds('intent.metadata.a < 5.0', 'intent.metadata.a < 6.0')).toContain('loosens');
  expect(kinds('intent.metadata.a < 5.0', 'intent.metadata.b < 5.0')).toContain('unclear');
});

test('requirements must be a superset, whatever their stated origin', () => {
  const requiring = (...require: unknown[]) => [{ ...P, require }];
  expect(loosened(requiring('a'), requiring('b', 'a'))).toEqual([]);
  expect(loosened(requiring('a', 'b'), requiring('a'))).toEqual(['Profile p /require']);
  expect(loosened(requiring('a'), requiring({ control: 'a', promotedFrom: { source: 's' } }))).toEqual([]);
  expect(loosened([W], [{ ...W, require: ['dual', 'x'] }])).toEqual([]);
  expect(loosened([W], [{ ...W, require: ['x'] }])).toEqual(['Workflow w /require']);
  expect(loosened([P, { ...W, profiles: ['p'] }], [P, W])).toEqual(['Workflow w /profiles']);
});

test('the first requirement of all removes the duty to show authority', () => {
  const open = { kind: 'Profile', id: 'p', match: { system: 'erp' } };
  expect(loosened([open], [{ ...open, require: ['a'] }])).toEqual(['Profile p /require']);
  expect(loosened([open], [{ ...open, require: ['a'], authority: 'required' }])).toEqual([]);
  const wider = { kind: 'Profile', id: 'all', require: ['x'] };
  expect(loosened([wider, open], [wider, { ...open, require: ['a'] }])).toEqual([]);
  expect(loosened([W], [W, { ...open, require: ['a'] }])).toEqual(['Profile p']);
  expect(loosened([wider], [wider, { ...open, require: ['a'] }])).toEqual([]);
  // Requirements of a workflow remove nothing.
  expect(loosened([{ kind: 'Workflow', id: 'w' }], [W])).toEqual([]);
});

test.each([
  [{ writePolicy: 'enforce' }, { writePolicy: 'block_on_mismatch' }, true],
  [{}, { writePolicy: 'enforce' }, true],
  [{ writePolicy: 'block_on_mismatch' }, {}, false],
  [{}, { writePolicy: 'observe' }, false],
  [{ writePolicy: 'observe' }, {}, true],
  [{ writePolicy: 'observe' }, { writePolicy: 'observe', observeUntil: '2027-01-01T00:00:00Z' }, true],
  [{ writePolicy: 'observe', observeUntil: '2027-01-01T00:00:00Z' }, { writePolicy: 'observe' }, false],
  [
    { writePolicy: 'observe', observeUntil: '2027-01-01T00:00:00Z' },
    { writePolicy: 'observe', observeUntil: '2027-01-01T00:00:01Z' },
    false,
  ],
  [{ writePolicy: 'observe', observeUntil: '2020-01-01T00:00:00Z' }, {}, true],
])('a mode may not weaken: %j to %j is as strict: %s', (before, after, isStrict) => {
  expect(loosened([W, { ...P, ...before }], [W, { ...P, ...after }])).toEqual(
    isStrict ? [] : ['Profile p /writePolicy'],
  );
  const flow = { ...W, profiles: ['q'] };
  const asking = { ...P, id: 'q', authority: 'required' };
  expect(loosened([asking, { ...flow, ...before }], [asking, { ...flow, ...after }])).toEqual(
    isStrict ? [] : ['Workflow w /writePolicy'],
  );
  expect(loosened([{ kind: 'Defaults', ...before }], [{ kind: 'Defaults', ...after }])).toEqual(
    isStrict ? [] : ['Defaults  /writePolicy'],
  );
});

test('a comparator may be removed but not added or changed, and not removed if another would then decide alone', () => {
  const comparing = (compare?: string) => ({ ...P, ...(compare === undefined ? {} : { compare }) });
  expect(loosened([comparing('trimmed')], [comparing()])).toEqual([]);
  expect(loosened([comparing()], [comparing('trimmed')])).toEqual(['Profile p /compare']);
  expect(loosened([comparing('trimmed')], [comparing('caseless')])).toEqual(['Profile p /compare']);
  const other = { ...P, id: 'q', compare: 'caseless' };
  expect(loosened([comparing('trimmed'), other], [comparing(), other])).toEqual(['Profile p /compare']);
  expect(loosened([comparing('caseless'), other], [comparing(), other])).toEqual([]);
  const silent = { kind: 'Profile', id: 'p', require: ['a'] };
  expect(loosened([{ ...silent, compare: 'trimmed' }], [silent])).toEqual(['Profile p']);
});

test('authority may only become stricter', () => {
  const with_ = (authority?: unknown) => [
    { kind: 'Profile', id: 'p', require: ['a'], ...(authority === undefined ? {} : { authority }) },
  ];
  expect(loosened(with_(), with_('required'))).toEqual([]);
  expect(loosened(with_('required'), with_({ required: true, sources: ['m'] }))).toEqual([]);
  expect(loosened(with_('required'), with_())).toEqual(['Profile p /authority', 'Profile p']);
  expect(loosened(with_({ sources: ['m'] }), with_({ sources: ['m', 'n'] }))).toEqual([
    'Profile p /authority/sources',
  ]);
  expect(loosened(with_({ sources: ['m', 'n'] }), with_({ sources: ['n'] }))).toEqual([]);
  expect(loosened(with_({ sources: ['m'] }), with_('required'))).toEqual(['Profile p /authority/sources']);
  expect(loosened(with_('required'), with_({ attestedBy: 'a' }))).toEqual([]);
  expect(loosened(with_({ attestedBy: 'a' }), with_('required'))).toEqual([
    'Profile p /authority/attestedBy',
  ]);
  expect(loosened(with_({ attestedBy: 'a' }), with_({ attestedBy: 'b' }))).toEqual([
    'Profile p /authority/attestedBy',
  ]);
});

test.each([
  [{ maxAge: '1h' }, { maxAge: '60m' }, []],
  [{ maxAge: '1h' }, { maxAge: '59m' }, []],
  [{ maxAge: '1h' }, { maxAge: '61m' }, ['/maxAge']],
  [{ maxAge: '1h' }, {}, ['/maxAge']],
  [{}, { maxAge: '1h' }, []],
  [{}, { sources: ['okta'] }, []],
  [{ sources: ['okta'] }, {}, ['/sources']],
  [{ sources: ['okta'] }, { sources: ['okta', 'x'] }, ['/sources']],
  [{ sources: ['okta', 'x'] }, { sources: ['x'] }, []],
  [{}, { assurance: 'attested' }, []],
  [{ assurance: 'attested' }, {}, ['/assurance']],
  [{ assurance: 'attested' }, { assurance: 'attested', use: 'once' }, []],
  [{ assurance: 'attested', use: 'once' }, { assurance: 'attested' }, ['/use']],
  [{ assurance: 'attested' }, { assurance: 'attested', bind: 'object' }, ['/bind']],
  [{ assurance: 'attested', bind: 'object' }, { assurance: 'attested' }, []],
  [{}, { onUnmet: 'block' }, []],
  [{ onUnmet: 'block' }, { onUnmet: 'pause' }, ['/onUnmet']],
  [{}, { onFailed: 'pause' }, ['/onFailed']],
  [{ onFailed: 'pause' }, { onFailed: 'block' }, []],
])('control %j to %j loosens at %j', (before, after, members) => {
  const expected = members.map((member) => `ControlPack core /controls/c${member}`);
  expect(loosened([pack({ c: before })], [pack({ c: after })])).toEqual(expected);
});

test('a control that no pack defines has the defaults, before and after', () => {
  expect(loosened([], [pack({ c: { onUnmet: 'block' } })])).toEqual([]);
  expect(loosened([], [pack({ c: { onFailed: 'pause' } })])).toEqual([
    'ControlPack core /controls/c/onFailed',
  ]);
  expect(loosened([pack({ c: { maxAge: '1h' } })], [])).toEqual(['ControlPack core /controls/c/maxAge']);
  const elsewhere = { kind: 'ControlPack', id: 'other', controls: { c: { maxAge: '1h' } } };
  expect(loosened([pack({ c: { maxAge: '1h' } })], [elsewhere])).toEqual([]);
});

test('a first max age makes `exp` optional, and so is looser if an attestation can count', () => {
  const attested = { assurance: 'attested' };
  expect(loosened([pack({ c: attested })], [pack({ c: { ...attested, maxAge: '1h' } })])).toEqual([
    'ControlPack core /controls/c/maxAge',
  ]);
  const key = signer(ED25519_JWK);
  expect(loosened([pack({ c: {} }), key], [pack({ c: { maxAge: '1h' } }), key])).toEqual([
    'ControlPack core /controls/c/maxAge',
  ]);
  const desk = { sources: ['desk'] };
  expect(loosened([pack({ c: desk }), key], [pack({ c: { ...desk, maxAge: '1h' } }), key])).toEqual([]);
});

test('evidence sources and their keys may not be added', () => {
  const other = { ...P256_JWK, kid: 'second' };
  expect(loosened([signer(ED25519_JWK)], [signer(ED25519_JWK, other)])).toEqual([
    'EvidenceSource okta /keys/keys/1',
  ]);
  expect(loosened([signer(ED25519_JWK, other)], [signer(other)])).toEqual([]);
  expect(loosened([signer(ED25519_JWK)], [])).toEqual([]);
  expect(loosened([], [signer(ED25519_JWK)])).toEqual(['EvidenceSource okta /keys/keys/0']);
  expect(loosened([], [signer()])).toEqual([]);
  expect(loosened([signer(ED25519_JWK)], [signer({ ...ED25519_JWK, kid: 'renamed' })])).toEqual([
    'EvidenceSource okta /keys/keys/0',
  ]);
  expect(loosened([signer(ED25519_JWK)], [signer({ ...ED25519_JWK, alg: 'EdDSA' })])).toEqual([]);
});

test('a new profile must be no weaker than the default mode and name no comparator, or only observe', () => {
  expect(loosened([W], [W, P])).toEqual([]);
  const blocking = { kind: 'Defaults', writePolicy: 'block_on_mismatch' };
  expect(loosened([W, blocking], [W, blocking, P])).toEqual(['Profile p /writePolicy']);
  expect(loosened([W], [W, { ...P, compare: 'trimmed' }])).toEqual(['Profile p /compare']);
  const watching = { ...P, compare: 'trimmed', writePolicy: 'observe' };
  expect(compareBundles(documents([blocking]), documents([blocking, watching])).findings).toEqual([]);
});

test('a profile may not be the first of a bundle without workflows, in which an unknown workflow paused', () => {
  const defaults = { kind: 'Defaults' };
  expect(loosened([defaults], [defaults, P])).toEqual(['Profile p']);
  expect(loosened([defaults], [defaults, { ...P, writePolicy: 'observe' }])).toEqual([]);
  expect(loosened([defaults], [defaults, P, W])).toEqual([]);
  expect(loosened([defaults], [defaults, W])).toEqual([]);
});

test('nor may the last rule be removed, because then the controls that a caller names count', () => {
  const permit = { kind: 'Profile', id: 'notes', permit: true, match: { system: 'crm' } };
  expect(loosened([permit], [])).toEqual(['Profile notes']);
  expect(loosened([permit, P], [P])).toEqual([]);
});

describe('an intent with both `field` and `operation`', () => {
  const defaults = { kind: 'Defaults', unmatched: 'pause' };
  const on = (id: string, match: object, more: object = {}) => ({
    ...{ kind: 'Profile', id, match: { system: 'erp', ...match }, require: ['a'], authority: 'required' },
    ...more,
  });
  const wide = on('wide', {});
  const fields = on('fields', { field: '*' });

  test('is covered separately for each', () => {
    const added = on('new', { operation: 'x' });
    expect(loosened([defaults, wide], [defaults, wide, added])).toEqual([]);
    expect(loosened([defaults, fields], [defaults, fields, added])).toEqual(['Profile new']);
    // A profile that matches on both covers an intent with one of them.
    const both = on('both', { field: 'f', operation: 'x' });
    expect(loosened([defaults, fields], [defaults, fields, both])).toEqual(['Profile both']);
    const reading = on('new', {}, { when: 'intent.operation == "x"' });
    expect(loosened([defaults, fields], [defaults, fields, reading])).toEqual(['Profile new']);
  });

  test('is permitted by a permit about both, or about neither, alone', () => {
    const permit = (match: object) => ({ kind: 'Profile', id: 'q', permit: true, match });
    const note = permit({ system: 'erp', field: 'note' });
    const both = permit({ system: 'erp', field: 'note', operation: 'x' });
    expect(loosened([wide, note], [wide, both])).toEqual(['Profile q']);
    expect(loosened([wide, both], [wide, note])).toEqual(['Profile q']);
    expect(loosened([wide, permit({ system: 'erp' })], [wide, both])).toEqual([]);
    expect(loosened([wide, note], [wide, permit({ system: 'erp', objectType: 't', field: 'note' })])).toEqual(
      [],
    );
  });

  test('needs no authority only if one control is required for each', () => {
    const byField = on('fields', {}, { when: 'intent.field == "f"', authority: undefined });
    const byOperation = on('operations', { operation: '*' }, { authority: undefined, require: ['b'] });
    const plain = (profile: object) => JSON.parse(JSON.stringify(profile));
    const before = [plain(byField), plain(byOperation)];
    expect(loosened(before, [before[0], { ...before[1], require: ['b', 'c'] }])).toEqual([]);
    expect(loosened(before, [before[0], { ...before[1], require: ['b', 'a'] }])).toEqual([
      'Profile operations /require',
    ]);
  });
});

test('a profile that matches on fewer members covers writes without them, although it applied before', () => {
  const typed = { ...P, match: { system: 'erp', objectType: 'vendor' } };
  const untyped = { ...P, match: { system: 'erp' } };
  expect(loosened([typed], [untyped])).toEqual(['Profile p']);
  const asking = { authority: 'required' };
  expect(loosened([{ ...typed, ...asking }], [{ ...untyped, ...asking }])).toEqual([]);
  const defaults = { kind: 'Defaults', unmatched: 'pause' };
  expect(loosened([defaults, { ...typed, ...asking }], [defaults, { ...untyped, ...asking }])).toEqual([
    'Profile p',
  ]);
});

test('`authority: {required: false}` is weaker than none', () => {
  const freed = { ...P, authority: { required: false } };
  expect(loosened([P], [freed])).toEqual(['Profile p /authority']);
  expect(loosened([freed], [P])).toEqual([]);
});

test('`different` may name no fewer controls, and a requester stays required', () => {
  const different = (...names: string[]) => ({ ...P, different: names });
  expect(loosened([P], [different('a', 'b')])).toEqual([]);
  expect(loosened([different('a', 'b')], [different('b', 'c', 'a')])).toEqual([]);
  expect(loosened([different('a', 'b', 'c')], [different('a', 'b')])).toEqual(['Profile p /different']);
  expect(loosened([different('a', 'b')], [P])).toEqual(['Profile p /different']);
  const named = { ...P, requester: 'required' };
  expect(loosened([P], [named])).toEqual([]);
  expect(loosened([named], [P])).toEqual(['Profile p /requester']);
});

test('the same holds for one that applies to more than before', () => {
  const compared = { ...P, compare: 'trimmed', when: 'intent.system == "x"' };
  const { when: _dropped, ...unconditional } = compared;
  expect(loosened([compared], [unconditional])).toEqual(['Profile p /compare']);
});

describe('a profile that only watches', () => {
  const observed = { ...P, compare: 'trimmed', writePolicy: 'observe' };
  const defaults = { kind: 'Defaults', unmatched: 'pause' };
  const until = (day: string) => ({ ...observed, observeUntil: `2027-01-${day}T00:00:00Z` });

  test('may be added, changed and removed', () => {
    const findings = (before: unknown[], after: unknown[]) =>
      compareBundles(documents(before), documents(after)).findings;
    expect(findings([defaults], [defaults, observed])).toEqual([]);
    expect(findings([observed], [{ ...observed, match: { system: '*' }, require: [] }])).toEqual([]);
    expect(findings([observed], [])).toEqual([]);
    const flow = { ...W, profiles: ['p'] };
    expect(findings([observed, flow], [W])).toEqual([]);
  });

  test('is judged as a new one when it begins to enforce, or is going to', () => {
    const { writePolicy: _mode, ...enforcing } = observed;
    expect(loosened([defaults, W, observed], [defaults, W, enforcing])).toEqual([
      'Profile p /compare',
      'Profile p',
    ]);
    expect(loosened([defaults, W, observed], [defaults, W, until('02')])).toEqual([
      'Profile p /compare',
      'Profile p',
    ]);
    expect(loosened([W, until('02')], [W, until('01')])).toEqual(['Profile p /compare']);
    expect(loosened([until('02')], [until('02')])).toEqual([]);
    expect(loosened([until('01')], [until('02')])).toEqual(['Profile p /writePolicy']);
  });

  test('does not cover, and neither does one that enforces later', () => {
    const wider = { ...P, id: 'wide', match: { system: 'e*', field: '*' } };
    const later = { ...wider, writePolicy: 'observe', observeUntil: '2027-01-01T00:00:00Z' };
    for (const cover of [{ ...wider, writePolicy: 'observe' }, later])
      expect(loosened([defaults, W, cover], [defaults, W, cover, P])).toEqual(['Profile p']);
  });

  test('may not replace an enforcing one', () => {
    expect(loosened([P], [{ ...P, writePolicy: 'observe' }])).toEqual(['Profile p /writePolicy']);
    expect(loosened([P, W], [P, { ...W, writePolicy: 'observe' }])).toEqual(['Workflow w /writePolicy']);
  });
});

test('a workflow that begins to enforce is judged by its new effects', () => {
  const watching = { ...W, writePolicy: 'observe' };
  expect(loosened([watching], [W])).toEqual([]);
  const asking = { ...P, authority: 'required' };
  const flow = { ...W, profiles: ['p'] };
  expect(loosened([asking, { ...flow, writePolicy: 'observe' }], [asking, flow])).toEqual([]);
  const blocking = { kind: 'Defaults', writePolicy: 'block_on_mismatch', unmatched: 'pause' };
  expect(loosened([blocking, asking, { ...flow, writePolicy: 'observe' }], [blocking, asking, flow])).toEqual(
    ['Workflow w /writePolicy'],
  );
});

test('any other list of AuthZEN context members in the intent may loosen', () => {
  const listing = (...authzenContext: readonly string[]) => [{ kind: 'Defaults', authzenContext }];
  const changed = ['Defaults  /authzenContext'];
  expect(loosened(listing('ip'), listing('ip', 'channel'))).toEqual(changed);
  expect(loosened(listing('ip', 'channel'), listing('ip'))).toEqual(changed);
  expect(loosened([], listing('ip'))).toEqual(changed);
  expect(loosened(listing('ip'), [])).toEqual(changed);
  expect(loosened(listing('ip', 'channel'), listing('channel', 'ip', 'ip'))).toEqual([]);
  expect(loosened([], listing())).toEqual([]);
});

describe('`unmatched`', () => {
  const scoped = (pause?: object) => [
    { kind: 'Defaults', ...(pause === undefined ? {} : { unmatched: pause }) },
  ];
  const erp = { pause: { system: 'erp' } };
  const both = { pause: { system: ['erp', 'hris'] } };
  const kinds = (before: object | undefined, after: object | undefined) =>
    compareBundles(documents(scoped(before)), documents(scoped(after))).findings.map(({ kind }) => kind);

  test('may be widened and not narrowed', () => {
    expect(kinds(erp, both)).toEqual(['tightens']);
    expect(kinds(both, erp)).toEqual(['loosens']);
    expect(kinds(both, 'pause' as never)).toEqual(['tightens']);
    expect(kinds('pause' as never, both)).toEqual(['loosens']);
    expect(kinds(erp, undefined)).toEqual(['loosens']);
    expect(kinds(undefined, erp)).toEqual(['tightens']);
    expect(kinds(erp, { pause: { system: 'ERP' } })).toEqual([]);
    expect(kinds('pause' as never, { pause: {} })).toEqual([]);
    expect(kinds(erp, { pause: { system: 'erp', objectType: 'vendor' } })).toEqual(['loosens']);
  });

  test('checks a new profile only if they may overlap', () => {
    const crm = { ...P, match: { system: 'crm', field: 'email' } };
    for (const profile of [crm, { ...crm, match: { system: 'CRM*', field: 'x' } }])
      expect(loosened([W, ...scoped(both)], [W, ...scoped(both), profile])).toEqual([]);
    for (const system of ['erp', 'e*', '*', ['crm', 'HRIS']])
      expect(
        loosened([W, ...scoped(both)], [W, ...scoped(both), { ...P, match: { system, field: 'x' } }]),
      ).toEqual(['Profile p']);
    const iban = [W, ...scoped({ pause: { field: 'iban' } })];
    expect(loosened(iban, [...iban, P])).toEqual(['Profile p']);
  });
});

test('if `unmatched` pauses, a profile may not be the first to cover, and a workflow covers nothing', () => {
  const defaults = { kind: 'Defaults', unmatched: 'pause' };
  expect(loosened([defaults, W], [defaults, W, P])).toEqual(['Profile p']);
  expect(loosened([defaults], [defaults, W])).toEqual([]);
  const wider = { ...P, id: 'wide', match: { system: 'e*', field: '*' } };
  expect(loosened([defaults, wider], [defaults, wider, P])).toEqual([]);
  const conditional = { ...wider, when: 'intent.system == "erp"' };
  expect(loosened([defaults, conditional], [defaults, conditional, P])).toEqual(['Profile p']);
});

test('dropping `field` from a match is narrower, unless authority is required', () => {
  const { field: _field, ...match } = P.match;
  expect(loosened([P], [{ ...P, match }])).toEqual(['Profile p /match', 'Profile p']);
  expect(loosened([P], [{ ...P, match, authority: 'required' }])).toEqual([]);
});

test('a new workflow alone does not loosen, unless it observes or is weaker than the default', () => {
  const added = (writePolicy?: string) => ({
    kind: 'Workflow',
    id: 'w2',
    profiles: ['p'],
    ...(writePolicy === undefined ? {} : { writePolicy }),
  });
  const under = (writePolicy: string) => [P, { kind: 'Defaults', writePolicy }];
  for (const before of [[P], [P, W], under('observe')]) {
    expect(loosened(before, [...before, added()])).toEqual([]);
    expect(loosened(before, [...before, added('enforce')])).toEqual([]);
    expect(loosened(before, [...before, added('block_on_mismatch')])).toEqual([]);
    expect(loosened(before, [...before, added('observe')])).toHaveLength(1);
  }
  const strict = under('block_on_mismatch');
  expect(loosened(strict, [...strict, added('block_on_mismatch')])).toEqual([]);
  expect(loosened(strict, [...strict, added()])).toHaveLength(1);
});

test('a profile added to a workflow contributes nothing, whatever its condition and comparator', () => {
  const named = { ...W, profiles: ['p'] };
  for (const more of [{}, { when: '10 / size(intent.objectRef) > 2' }, { compare: 'trimmed' }])
    expect(loosened([{ ...P, ...more }, W], [{ ...P, ...more }, named])).toEqual([]);
});

test('if conditions may use up their budget, no change among them is harmless', () => {
  const costly = (id: string) => ({
    ...P,
    id,
    when: Array.from({ length: 40 }, () => 'intent.agentValue.contains(intent.objectRef)').join(' && '),
  });
  expect(loosened([costly('a')], [costly('a')])).toEqual([]);
  expect(loosened([costly('a')], [costly('a'), costly('b')])).toEqual(['Profile a /when']);
  const { findings } = compareBundles(documents([costly('a')]), documents([costly('a'), costly('b')]));
  expect(findings.find(({ pointer }) => pointer === '/when')?.message).toMatch(
    /cost \d+ times what a decision may.*; nest fewer macros, or confirm the change$/,
  );
  expect(loosened([costly('a')], [costly('a'), P])).toEqual([]);
});

test('tests of a bundle, versions and provenance decide nothing and are not compared', () => {
  const test_ = {
    kind: 'PolicyTest',
    id: 't',
    intent: { system: 'erp', operation: 'x' },
    now: '2026-11-15T00:00:00Z',
    expect: { decision: 'pause' },
  };
  expect(compareBundles(documents([P, test_]), documents([{ ...P, version: '2' }])).findings).toEqual([]);
});

test('changes that tighten are reported too', () => {
  const { findings } = compareBundles(
    documents([P, pack({ identity: { maxAge: '1h' } })]),
    documents([{ ...P, require: ['identity', 'approval'] }, pack({ identity: { maxAge: '15m' } })]),
  );
  expect(findings.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
    'tightens: it now requires `approval`',
    'tightens: control `identity`: evidence may be 15m old instead of 1h',
  ]);
});
