import { createHash } from 'node:crypto';
import { canonicalJson, DOCUMENTS_MAX, durationMs } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { testInPart } from '../../../../scripts/in-part.ts';
import { anyDocuments, mutate, pack, profile, seeded } from '../../test/documents.ts';
import { ED25519_JWK, ED25519_SECRET, P256_JWK } from '../../test/keys.ts';
import { newConditionBudget } from '../conditions/budget.ts';
import { EMPTY_SNAPSHOT, snapshotSteps } from './build-snapshot.ts';
import { BUNDLE_BYTES_MAX, compile } from './compile.ts';

function snapshotOf(...documents: unknown[]) {
  const compiled = compile(documents);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.snapshot;
}

function faultsOf(...documents: unknown[]) {
  const compiled = compile(documents);
  return compiled.kind === 'invalid' ? compiled.faults : [];
}

function source(...keys: unknown[]) {
  return { kind: 'EvidenceSource', id: 'okta', keys: { keys } };
}

describe('a bundle without errors', () => {
  test('gives a snapshot for every kind of document', () => {
    const confirming = pack({ confirmation: { assurance: 'attested', review: true } }, { id: 'confirming' });
    for (const document of anyDocuments()) expect(faultsOf(document, confirming)).toEqual([]);
  });

  test('has the sha256 of the RFC 8785 form of its documents by kind and id as digest', () => {
    const documents = [
      profile({ id: 'b' }),
      { kind: 'Defaults' },
      profile({ id: 'B' }),
      pack({}, { id: 'z' }),
    ];
    const compiled = compile(documents);
    if (compiled.kind === 'invalid') throw new Error('refused');
    const ordered = [documents[3], documents[1], documents[2], documents[0]];
    expect(compiled.documents).toEqual(ordered);
    expect(compiled.digest).toBe(
      `sha256:${createHash('sha256').update(canonicalJson(ordered)).digest('hex')}`,
    );
    expect(compiled.snapshot.digest).toBe(compiled.digest);
    const reversed = compile([...documents].reverse());
    expect(reversed.kind === 'snapshot' && reversed.digest).toBe(compiled.digest);
    const other = compile([profile({ id: 'b', version: '1' }), ...documents.slice(1)]);
    expect(other.kind === 'snapshot' && other.digest).not.toBe(compiled.digest);
  });

  test('cannot be changed afterwards through its source documents', () => {
    const document = profile({ require: ['a'] });
    const compiled = compile([document]);
    (document.require as string[]).push('b');
    if (compiled.kind === 'invalid') throw new Error('refused');
    expect(compiled.documents).toEqual([profile({ require: ['a'] })]);
    expect(Object.isFrozen(compiled.documents)).toBe(true);
    expect(Object.isFrozen(compiled.documents[0])).toBe(true);
    const [found] = compiled.snapshot.matchingProfiles({ system: 'x' });
    for (const value of [compiled.snapshot, found, found!.require, found!.require[0], found!.mode]) {
      expect(Object.isFrozen(value)).toBe(true);
    }
  });

  test('without documents requires nothing and has a digest, unlike no bundle', () => {
    expect(snapshotOf().digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(EMPTY_SNAPSHOT.digest).toBeNull();
    expect(EMPTY_SNAPSHOT.matchingProfiles({ system: 'x' })).toEqual([]);
    expect(EMPTY_SNAPSHOT.defaultMode).toEqual({ writePolicy: 'enforce', observeUntilMs: null });
    expect(EMPTY_SNAPSHOT.unmatchedPauses({ system: 'x' })).toBe(false);
    expect(
      EMPTY_SNAPSHOT.workflows.size + EMPTY_SNAPSHOT.controls.size + EMPTY_SNAPSHOT.evidenceSources.size,
    ).toBe(0);
  });
});

describe('controls', () => {
  const DEFAULTS = {
    id: 'anything',
    maxAgeMs: null,
    sources: null,
    assurance: 'asserted',
    useOnce: false,
    bindObject: false,
    onUnmet: 'pause',
    onFailed: 'block',
    review: null,
    facts: false,
  };

  test('that no pack defines have the defaults, whatever their name', () => {
    const applied = snapshotOf();
    for (const id of ['anything', '__proto__', 'constructor', 'toString']) {
      expect(applied.controlOf(id)).toEqual({ ...DEFAULTS, id });
    }
    expect(snapshotOf(pack({ anything: {} })).controlOf('anything')).toEqual(DEFAULTS);
  });

  test('that a pack defines are as the pack says', () => {
    const definition = {
      maxAge: '90s',
      sources: ['okta'],
      assurance: 'attested',
      use: 'once',
      bind: 'object',
      onUnmet: 'block',
      onFailed: 'block',
    };
    const snapshot = snapshotOf(pack({ constructor: definition, soft: { onFailed: 'pause' } }));
    expect(snapshot.controlOf('constructor')).toEqual({
      id: 'constructor',
      maxAgeMs: 90_000,
      sources: ['okta'],
      assurance: 'attested',
      useOnce: true,
      bindObject: true,
      onUnmet: 'block',
      onFailed: 'block',
      review: null,
      facts: false,
    });
    expect(snapshot.controlOf('soft')).toEqual({ ...DEFAULTS, id: 'soft', onFailed: 'pause' });
    expect([...snapshot.controls.keys()]).toEqual(['constructor', 'soft']);
  });

  test('that nobody may satisfy name `nobody`: an empty list is refused with that fix', () => {
    expect(faultsOf(pack({ never: { sources: [] } }))).toMatchObject([
      { pointer: '/controls/never/sources', message: expect.stringContaining('`sources: [nobody]') },
    ]);
  });

  test.each([
    ['0s', 0],
    ['1s', 1_000],
    ['15m', 900_000],
    ['1.5h', 5_400_000],
    ['0.001s', 1],
    ['2d', 172_800_000],
    ['0.25d', 21_600_000],
    ['99999999.999d', 8_639_999_999_913_600],
  ])('a duration of %s is %d milliseconds', (text, ms) => {
    expect(durationMs(text)).toBe(ms);
    expect(snapshotOf(pack({ c: { maxAge: text } })).controlOf('c').maxAgeMs).toBe(ms);
    expect(Number.isSafeInteger(ms)).toBe(true);
  });

  test.each([
    '',
    's',
    '15',
    '15 m',
    '-1s',
    '+1s',
    '1w',
    '1S',
    '15m ',
    '1e3s',
    '.5h',
    '1.h',
    '1.0001s',
    '999999999s',
    '１s',
  ])('a duration of `%s` is refused', (text) => {
    expect(faultsOf(pack({ c: { maxAge: text } }))).toMatchObject([
      { pointer: '/controls/c/maxAge', message: expect.stringContaining('must be') },
    ]);
  });
});

describe('profiles', () => {
  const only = (more: object, ...others: unknown[]) =>
    snapshotOf(profile(more), ...others).matchingProfiles({ system: 's' })[0]!;

  test('may require an empty list', () => {
    expect(only({ require: [] }).require).toEqual([]);
  });

  test('without settings require nothing and enforce', () => {
    expect(only({})).toEqual({
      id: 'profile',
      version: null,
      ref: 'profile:profile',
      controlPackId: null,
      specificity: 0,
      matchesOnObjectType: false,
      matchesOnField: false,
      matchesOnOperation: false,
      isAboutField: true,
      isAboutOperation: true,
      asksByField: false,
      require: [],
      authorityRequired: false,
      authoritySources: null,
      attestedBy: null,
      confirmedBy: null,
      different: null,
      requesterRequired: false,
      permit: false,
      compare: null,
      mode: { writePolicy: 'enforce', observeUntilMs: null },
      conditionReadsValues: false,
      readsFacts: [],
      when: null,
      times: [],
    });
  });

  test('have all their settings', () => {
    const found = only(
      {
        version: '7',
        controlPack: 'pack',
        match: { field: 'f' },
        require: ['a', { control: 'b', promotedFrom: { source: 's' } }, { control: 'c' }],
        compare: 'number',
        writePolicy: 'observe',
        observeUntil: '2026-12-01T01:00:00+01:00',
      },
      pack({ a: { maxAge: '1s' } }),
    );
    expect(found).toMatchObject({
      version: '7',
      ref: 'profile:profile@7',
      controlPackId: 'pack',
      matchesOnField: true,
      isAboutField: true,
      isAboutOperation: false,
      asksByField: true,
      compare: 'number',
      mode: { writePolicy: 'observe', observeUntilMs: Date.UTC(2026, 11, 1) },
      require: [
        { control: { id: 'a', maxAgeMs: 1_000 }, promotedFrom: null },
        { control: { id: 'b', maxAgeMs: null }, promotedFrom: { source: 's' } },
        { control: { id: 'c' }, promotedFrom: null },
      ],
    });
  });

  test.each([
    ['required', true, null, null],
    [{}, true, null, null],
    [{ required: true, sources: ['m'], attestedBy: 'a' }, true, ['m'], 'a'],
    [{ sources: ['m'] }, true, ['m'], null],
    [{ required: false, sources: ['m'] }, false, ['m'], null],
  ])('with authority %j', (authority, required, sources, attestedBy) => {
    const found = only({ authority });
    expect(found.authorityRequired).toBe(required);
    expect(found.authoritySources).toEqual(sources);
    expect(found.attestedBy?.id ?? null).toBe(attestedBy);
  });

  test.each([
    ['intent.system == "x"', false],
    ['intent.metadata.agentValue == "x"', false],
    ['intent.agentValue == "x"', true],
    ['intent.authorityValue == "x"', true],
    ['intent.authoritySource == "x"', true],
    ['intent.authorityFound', true],
  ])('with the condition %s show whether it reads values', (when, reads) => {
    expect(only({ when }).conditionReadsValues).toBe(reads);
    expect(only({ when }).when).toBeTypeOf('function');
  });

  test('with a condition that is too long are reported once, with the fix', () => {
    const long = {
      kind: 'Profile',
      id: 'p',
      require: ['c'],
      when: `intent.system == "${'x'.repeat(2_000)}"`,
    };
    expect(faultsOf(long)).toMatchObject([
      { pointer: '/when', message: expect.stringMatching(/2000 characters; split it into several profiles/) },
    ]);
  });
});

describe('workflows, defaults and sources', () => {
  test('a workflow holds its profiles once, in order of id', () => {
    const snapshot = snapshotOf(
      {
        kind: 'Workflow',
        id: 'w',
        profiles: ['b', 'a', 'b'],
        require: ['c'],
        writePolicy: 'block_on_mismatch',
      },
      profile({ id: 'a', match: { system: 'never' } }),
      profile({ id: 'b' }),
    );
    const workflow = snapshot.workflows.get('w')!;
    expect(workflow.profiles.map((one) => one.id)).toEqual(['a', 'b']);
    expect(workflow).toMatchObject({ id: 'w', ref: 'workflow:w', require: [{ control: { id: 'c' } }] });
    expect(workflow.mode.writePolicy).toBe('block_on_mismatch');
    expect(snapshotOf({ kind: 'Workflow', id: '__proto__' }).workflows.get('__proto__')!.profiles).toEqual(
      [],
    );
    expect(snapshotOf({ kind: 'Workflow', id: 'w' }).workflows.get('constructor')).toBeUndefined();
  });

  test('unmatched intents may be paused in a scope, which an intent cannot leave by omitting members', () => {
    const pause = { system: ['ERP', 'hr*'], objectType: 'vendor' };
    const { unmatchedPauses } = snapshotOf({ kind: 'Defaults', unmatched: { pause } });
    expect(unmatchedPauses({ system: 'erp', objectType: 'Vendor' })).toBe(true);
    expect(unmatchedPauses({ system: 'hris' })).toBe(true);
    expect(unmatchedPauses({ system: 'erp', objectType: 'invoice' })).toBe(false);
    expect(unmatchedPauses({ system: 'crm', objectType: 'vendor' })).toBe(false);
  });

  test('an impossible scope is reported at its place', () => {
    const faults = (unmatched: unknown) => {
      const compiled = compile([{ kind: 'Defaults', unmatched }]);
      return compiled.kind === 'invalid'
        ? compiled.faults.map(({ pointer, message }) => `${pointer} ${message}`)
        : [];
    };
    expect(faults({ pause: { sytem: 'erp' } })).toEqual([
      '/unmatched/pause/sytem a match has no member `sytem`; did you mean `system`',
    ]);
    expect(faults({})).toEqual(['/unmatched needs `pause`']);
    expect(faults('allow')).toEqual(['/unmatched must be `pause`, found `allow`']);
    expect(faults(['erp'])).toEqual([
      '/unmatched must be `pause` or an object such as `{ pause: { system: erp } }`, found array',
    ]);
    expect(faults({ pause: { system: [] } })).toHaveLength(1);
    const globs = Array.from({ length: 1_024 }, (_, at) => `*${at}*x*`);
    const many = { system: globs, objectType: globs, field: globs };
    expect(faults({ pause: many })[0]).toMatch(/^\/unmatched\/pause\/\w+ a bundle may contain 40,000 globs/);
  });

  test('the defaults are the bundle’s', () => {
    const snapshot = snapshotOf({ kind: 'Defaults', writePolicy: 'observe', unmatched: 'pause' });
    expect(snapshot.defaultMode.writePolicy).toBe('observe');
    expect(snapshot.unmatchedPauses({ system: 'x' })).toBe(true);
    expect(snapshotOf({ kind: 'Defaults' }).unmatchedPauses({ system: 'x' })).toBe(false);
  });

  test('a source has its keys', () => {
    expect(snapshotOf(source(ED25519_JWK, P256_JWK)).evidenceSources.get('okta')).toEqual({
      id: 'okta',
      keys: [ED25519_JWK, P256_JWK],
    });
    expect(snapshotOf(source()).evidenceSources.get('okta')!.keys).toEqual([]);
  });
});

describe('a snapshot built in steps', () => {
  const many = (count: number, nameOf: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => nameOf(i));
  const stepsOf = (...documents: unknown[]) => {
    const compiled = compile(documents);
    if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
    const steps = snapshotSteps(compiled.documents, compiled.digest);
    for (let count = 0; ; count += 1) {
      const step = steps.next();
      if (step.done === true) return { count, snapshot: step.value, at: compiled.digest };
    }
  };

  test('decides as the one that was compiled, with and without conditions', () => {
    const documents = [
      pack({ soft: { onFailed: 'pause' } }),
      profile({ id: 'plain', require: ['soft'] }),
      profile({ id: 'when', when: 'intent.field == "a"' }),
    ];
    const { snapshot, at } = stepsOf(...documents);
    const compiled = snapshotOf(...documents);
    expect(snapshot.digest).toBe(at);
    expect(snapshot.controlOf('soft')).toEqual(compiled.controlOf('soft'));
    const whens = (made: typeof snapshot) =>
      made
        .matchingProfiles({ system: 's' })
        .map(({ id, when }) => [
          id,
          ...['a', 'b'].map((field) => when?.({ system: 's', field }, 0, newConditionBudget()) ?? null),
        ]);
    expect(whens(snapshot)).toEqual([
      ['plain', null, null],
      ['when', 'applies', 'skips'],
    ]);
    expect(whens(compiled)).toEqual(whens(snapshot));
  });

  test('pauses after every hundred controls, and after every hundred systems of a profile', () => {
    const { count: few } = stepsOf(pack({ a: {} }), profile({ match: { system: 'a' } }));
    const controls = Object.fromEntries(many(250, (i) => `c${i}`).map((id) => [id, {}]));
    expect(stepsOf(pack(controls), profile({ match: { system: 'a' } })).count).toBe(few + 2);
    const system = many(125, (i) => `s${i}`);
    expect(stepsOf(pack({ a: {} }), profile({ match: { system } })).count).toBe(few + 1);
  });

  test('is not built from a condition that does not compile', () => {
    const broken = profile({ id: 'odd', when: 'intent.' }) as never;
    expect(() => [...snapshotSteps([broken], 'sha256:0')]).toThrow(
      /condition of profile odd does not compile/,
    );
  });
});

describe('an error', () => {
  const { y: _, ...withoutY } = P256_JWK;
  test.each<[string, unknown[], string, RegExp]>([
    ['no object', [5], '', /must be an object, found number/],
    ['null', [null], '', /found null/],
    ['a list', [[]], '', /found array/],
    ['no kind', [{}], '', /needs `kind`/],
    ['an inherited kind', [Object.create({ kind: 'Defaults' })], '', /another class/],
    ['a kind of another type', [{ kind: { toString: 1 } }], '/kind', /must be one of/],
    ['a misspelt kind', [{ kind: 'Polcy' }], '/kind', /no kind `Polcy`; known are/],
    ['a miscased kind', [{ kind: 'profile', id: 'x' }], '/kind', /did you mean `Profile`/],
    ['a missing id', [{ kind: 'Profile' }], '', /needs `id`/],
    ['an id with a space at the end', [profile({ id: 'a ' })], '/id', /spaces at the ends/],
    ['an id of another type', [profile({ id: 5 })], '/id', /found `5`/],
    [
      'more controls than a profile may require',
      [profile({ require: Array.from({ length: 65 }, (_, at) => `c${at}`) })],
      '/require',
      /at most 64 elements, found 65; let several profiles require them/,
    ],
    ['an id that is too long', [profile({ id: 'x'.repeat(257) })], '/id', /at most 256/],
    [
      'a comparator where no values are asked for',
      [profile({ authority: { required: false }, compare: 'trimmed' })],
      '/compare',
      /requires no values/,
    ],
    [
      'a mismatch that blocks where no values are asked for',
      [profile({ authority: { required: false }, writePolicy: 'block_on_mismatch' })],
      '/writePolicy',
      /requires no values/,
    ],
    ['one control that differs from nothing', [profile({ different: ['a'] })], '/different', /at least 2/],
    ['another word for a requester', [profile({ requester: 'optional' })], '/requester', /`required`/],
    ['a version that is a number', [profile({ version: 1 })], '/version', /in quotes/],
    ['a null member', [profile({ when: null })], '/when', /found null/],
    [
      'a number for one of two',
      [profile({ match: { system: 5 } })],
      '/match/system',
      /must be a pattern or a list of patterns, found `5`$/,
    ],
    ['null for one of two', [profile({ match: { system: null } })], '/match/system', /patterns, found null$/],
    [
      'an object for one of two',
      [profile({ match: { system: {} } })],
      '/match/system',
      /patterns, found object$/,
    ],
    [
      'a list for one of two others',
      [profile({ require: [[]] })],
      '/require/0',
      /with `control`, found array$/,
    ],
    ['a control id with a space at the end', [pack({ 'a ': {} })], '/controls/a ', /spaces at the ends/],
    ['a misspelt member', [profile({ requires: [] })], '/requires', /did you mean `require`/],
    ['a member too short to guess at', [profile({ ix: 1 })], '/ix', /no member `ix`; known are/],
    ['an unknown member', [profile({ zzzzzz: 1 })], '/zzzzzz', /no member `zzzzzz`; known are/],
    ['a member named like one of every object', [profile({ constructor: 1 })], '/constructor', /no member/],
    ['a member with a slash', [profile({ 'a/b~': 1 })], '/a~1b~0', /no member/],
    ['__proto__', [JSON.parse('{"kind":"Profile","id":"x","__proto__":1}')], '', /`__proto__` cannot be/],
    ['__proto__ as a control', [pack(JSON.parse('{"__proto__":{}}'))], '/controls', /`__proto__` cannot be/],
    ['a lone surrogate', [profile({ id: '\ud800' })], '/id', /lone surrogates/],
    ['a lone surrogate in a name', [pack({ '\ud800': {} })], '/controls', /cannot be the name/],
    ['infinity', [profile({ version: Number.POSITIVE_INFINITY })], '/version', /finite/],
    ['undefined', [profile({ version: undefined })], '/version', /found undefined/],
    ['a date', [profile({ version: new Date() })], '/version', /another class/],
    [
      'an unknown mode',
      [profile({ writePolicy: 'warn' })],
      '/writePolicy',
      /`observe` or `enforce` or `block_on_mismatch`/,
    ],
    [
      'observeUntil alone',
      [profile({ observeUntil: '2026-12-01T00:00:00Z' })],
      '/observeUntil',
      /needs `writePolicy: observe`/,
    ],
    [
      'observeUntil while enforcing',
      [{ kind: 'Defaults', writePolicy: 'enforce', observeUntil: '2026-12-01T00:00:00Z' }],
      '/observeUntil',
      /needs/,
    ],
    [
      'observeUntil without an offset',
      [profile({ writePolicy: 'observe', observeUntil: '2026-12-01T00:00:00' })],
      '/observeUntil',
      /with an offset/,
    ],
    [
      'a day that does not exist',
      [profile({ writePolicy: 'observe', observeUntil: '2026-02-30T00:00:00Z' })],
      '/observeUntil',
      /exists/,
    ],
    ['an empty pattern list', [profile({ match: { field: [] } })], '/match/field', /at least 1/],
    ['an empty pattern', [profile({ match: { field: '' } })], '/match/field', /a pattern/],
    ['a pattern of another type', [profile({ match: { field: [1] } })], '/match/field/0', /found `1`/],
    ['a match on something else', [profile({ match: { objectRef: 'x' } })], '/match/objectRef', /no member/],
    ['absent of another word', [profile({ absent: 'match' })], '/absent', /`skip`/],
    ['an unknown comparator', [profile({ compare: 'exact' })], '/compare', /`number` or/],
    ['a control id beyond ASCII', [profile({ require: ['é'] })], '/require/0', /ASCII/],
    ['a requirement without control', [profile({ require: [{}] })], '/require/0', /needs `control`/],
    ['an authority of another word', [profile({ authority: 'optional' })], '/authority', /`required`/],
    [
      'an authority that is required by a word',
      [profile({ authority: { required: 'yes' } })],
      '/authority/required',
      /`true` or `false`.*`yes`/,
    ],
    [
      'no accepted authority source',
      [profile({ authority: { sources: [] } })],
      '/authority/sources',
      /at least 1/,
    ],
    ['no accepted source', [pack({ a: { sources: [] } })], '/controls/a/sources', /at least 1/],
    [
      'single use without attested',
      [pack({ a: { use: 'once' } })],
      '/controls/a/use',
      /needs `assurance: attested`/,
    ],
    [
      'single use while asserted',
      [pack({ a: { use: 'once', assurance: 'asserted' } })],
      '/controls/a/use',
      /needs/,
    ],
    [
      'binding without attested',
      [pack({ a: { bind: 'object' } })],
      '/controls/a/bind',
      /needs `assurance: attested`/,
    ],
    [
      'a soft FAIL under a hard miss',
      [pack({ a: { onUnmet: 'block', onFailed: 'pause' } })],
      '/controls/a/onFailed',
      /needs `onFailed: block`/,
    ],
    ['a pack that is not there', [profile({ controlPack: 'x' })], '/controlPack', /no ControlPack `x`/],
    [
      'a profile that is not there',
      [{ kind: 'Workflow', id: 'w', profiles: ['x'] }],
      '/profiles/0',
      /no Profile `x`/,
    ],
    ['a private key', [source({ ...ED25519_JWK, d: ED25519_SECRET })], '/keys/keys/0/d', /private part/],
    ['a symmetric key', [source({ ...ED25519_JWK, k: 'AAAA' })], '/keys/keys/0/k', /private part/],
    ['an RSA key', [source({ ...ED25519_JWK, kty: 'RSA' })], '/keys/keys/0/kty', /`OKP` or `EC`/],
    [
      'a key without kid',
      [source({ ...ED25519_JWK, kid: undefined })],
      '/keys/keys/0/kid',
      /found undefined/,
    ],
    ['a curve that does not fit', [source({ ...P256_JWK, crv: 'Ed25519' })], '/keys/keys/0/crv', /goes with/],
    ['a point without y', [source(withoutY)], '/keys/keys/0', /needs `y`/],
    ['a y too many', [source({ ...ED25519_JWK, y: P256_JWK.y })], '/keys/keys/0', /has none/],
    ['an alg that does not fit', [source({ ...ED25519_JWK, alg: 'ES256' })], '/keys/keys/0/alg', /goes with/],
    [
      'an x with padding',
      [source({ ...ED25519_JWK, x: `${ED25519_JWK.x}=` })],
      '/keys/keys/0/x',
      /at most 43/,
    ],
    [
      'an x with stray bits',
      [source({ ...ED25519_JWK, x: `${'A'.repeat(42)}B` })],
      '/keys/keys/0/x',
      /base64url/,
    ],
    ['a key for something else', [source({ ...ED25519_JWK, use: 'enc' })], '/keys/keys/0/use', /`sig`/],
    ['no key operation', [source({ ...ED25519_JWK, key_ops: [] })], '/keys/keys/0/key_ops', /at least 1/],
    [
      'two key operations',
      [source({ ...ED25519_JWK, key_ops: ['verify', 'verify'] })],
      '/keys/keys/0/key_ops',
      /at most 1/,
    ],
    ['a kid twice', [source(ED25519_JWK, { ...P256_JWK, kid: 'ed-1' })], '/keys/keys/1/kid', /appears twice/],
    [
      'an intent that is refused',
      [
        {
          kind: 'PolicyTest',
          id: 't',
          intent: { system: 5, operation: 'x' },
          now: '2026-01-01T00:00:00Z',
          expect: { decision: 'allow' },
        },
      ],
      '/intent/system',
      /must be a string/,
    ],
    [
      'an expectation that cannot come true',
      [
        {
          kind: 'PolicyTest',
          id: 't',
          intent: { system: 's', operation: 'x' },
          now: '2026-01-01T00:00:00Z',
          expect: { decision: 'allow', reason_code: 'CONTROL_SATISFIED' },
        },
      ],
      '/expect/reason_code',
      /`requirements_met` or/,
    ],
  ])('%s is reported at its place', (_name, documents, pointer, message) => {
    expect(faultsOf(...documents)).toMatchObject([
      { documentIndex: 0, pointer, message: expect.stringMatching(message) },
    ]);
  });

  test('never repeats a secret', () => {
    expect(JSON.stringify(faultsOf(source({ ...ED25519_JWK, d: ED25519_SECRET })))).not.toContain(
      ED25519_SECRET,
    );
  });

  test('does not hide another error: all are listed, in the order of documents', () => {
    const faults = faultsOf(
      profile({ id: 'a', match: { system: 5, colour: 'x' }, when: 'intent.x == 1' }),
      { kind: 'nothing' },
      profile({ id: 'b', when: 'intent.system ==\n  5 && x' }),
      { kind: 'Workflow', id: 'w', profiles: ['a', 'b', 'c'] },
    );
    expect(faults.map(({ documentIndex, pointer }) => `${documentIndex}${pointer}`)).toEqual([
      '0/match/system',
      '0/match/colour',
      '0/when',
      '1/kind',
      '2/when',
      '3/profiles/2',
    ]);
  });

  test('does not hide another error at the same place', () => {
    expect(faultsOf(source({ kid: 'x' })).map(({ message }) => message)).toEqual([
      'needs `kty`',
      'needs `crv`',
      'needs `x`',
    ]);
  });

  test('of a condition has a line and a column', () => {
    expect(faultsOf(profile({ when: 'intent.system == "x" &&\n  intent.sistem == "y"' }))).toMatchObject([
      { pointer: '/when', line: 2, column: 3, message: expect.stringContaining('did you mean `system`') },
    ]);
  });
});

describe('documents of one bundle', () => {
  test('a condition that does not parse is reported with the other errors of its profile', () => {
    const pointers = faultsOf({
      ...profile(),
      when: 'intent.system ==',
      colour: 'red',
      writePolicy: 'maybe',
    }).map(({ pointer }) => pointer);
    expect(pointers.sort()).toEqual(['/colour', '/when', '/writePolicy']);
  });

  test('share no id within a kind', () => {
    expect(faultsOf(profile(), profile())).toMatchObject([
      { documentIndex: 1, pointer: '/id', message: expect.stringContaining('document 1 of the bundle') },
    ]);
    expect(faultsOf(profile({ id: 'x' }), { kind: 'Workflow', id: 'x' })).toEqual([]);
    expect(faultsOf(profile({ id: 'x' }), profile({ id: 'X' }))).toEqual([]);
  });

  test('hold one Defaults', () => {
    expect(faultsOf({ kind: 'Defaults' }, { kind: 'Defaults' })).toMatchObject([
      { documentIndex: 1, pointer: '' },
    ]);
  });

  test('define a control once', () => {
    const faults = faultsOf(pack({ a: {}, b: {} }), pack({ b: {} }, { id: 'other' }));
    expect(faults).toMatchObject([
      { documentIndex: 1, pointer: '/controls/b', message: expect.stringContaining('`pack`') },
    ]);
  });

  test('name only what is of the right kind', () => {
    expect(faultsOf(pack({}), { kind: 'Workflow', id: 'w', profiles: ['pack'] })).toMatchObject([
      { pointer: '/profiles/0' },
    ]);
    expect(faultsOf(profile(), profile({ id: 'q', controlPack: 'profile' }))).toMatchObject([
      { pointer: '/controlPack' },
    ]);
    expect(faultsOf(pack({}, { id: 'packs' }), profile({ controlPack: 'pack' }))).toMatchObject([
      { message: expect.stringContaining('did you mean `packs`') },
    ]);
  });

  test('may name an invalid profile or pack without a second error', () => {
    const faults = faultsOf(
      { kind: 'Workflow', id: 'w', profiles: ['profile'] },
      profile({ zzzzzz: 1 }),
      pack({ a: { zzzzzz: 1 } }),
      profile({ id: 'p', controlPack: 'pack' }),
    );
    expect(faults.map((fault) => fault.documentIndex)).toEqual([1, 2]);
  });
});

describe('a bundle that is too large', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => profile({ id: `p${index}` }));

  test('in documents is refused', () => {
    expect(faultsOf(...many(DOCUMENTS_MAX))).toEqual([]);
    expect(faultsOf(...many(DOCUMENTS_MAX + 1))).toMatchObject([
      { message: expect.stringContaining('2000 documents') },
    ]);
  });

  test('in bytes is refused, even if the characters are few', () => {
    const filler = (text: string) => ({
      kind: 'PolicyTest',
      id: 't',
      intent: { system: 's', operation: 'o', agentValue: text },
      now: '2026-01-01T00:00:00Z',
      expect: { decision: 'allow' },
    });
    const tests = (text: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ ...filler(text), id: `t${index}` }));
    expect(faultsOf(...tests('x'.repeat(16_000), 64))).toEqual([]);
    expect(faultsOf(...tests('x'.repeat(16_000), 66))).toMatchObject([
      { message: expect.stringContaining(`${BUNDLE_BYTES_MAX} bytes`) },
    ]);
    expect(faultsOf(...tests('é'.repeat(8_000), 64))).toEqual([]);
    expect(faultsOf(...tests('é'.repeat(8_000), 66))).toMatchObject([
      { message: expect.stringContaining(`${BUNDLE_BYTES_MAX} bytes`) },
    ]);
  });

  test('by references to itself is refused before it is walked', () => {
    const loop: Record<string, unknown> = {};
    loop.again = loop;
    expect(faultsOf(profile({ match: loop }))[0]!.message).toContain('nested deeper than 32');
    let bomb: unknown = 'x';
    for (let level = 0; level < 31; level += 1) bomb = [bomb, bomb];
    expect(faultsOf(profile({ require: bomb }))).toMatchObject([
      { message: expect.stringContaining('bytes') },
    ]);
  });

  test('in globs is refused', () => {
    const withGlobs = (glob: (index: number) => string, count: number) =>
      Array.from({ length: count / 1_000 }, (_, at) => {
        const globs = Array.from({ length: 1_000 }, (_, index) => glob(index));
        return profile({ id: `p${at}`, match: { system: globs } });
      });
    const oneMore = (glob: string) =>
      profile({ id: 'z', match: { system: 'plain', operation: ['exact', glob] } });
    const refusal = { pointer: '/match/operation', message: expect.stringContaining('40,000 globs') };
    const between = withGlobs((index) => `a*${index}*`, 2_000);
    expect(faultsOf(...between, oneMore('exact'))).toEqual([]);
    expect(faultsOf(...between, oneMore('x*'))).toMatchObject([{ documentIndex: 2, ...refusal }]);
    const plain = withGlobs((index) => `${index}*`, 39_000);
    expect(faultsOf(...plain, ...withGlobs(() => '*', 1_000).map((one) => ({ ...one, id: 'y' })))).toEqual(
      [],
    );
    const fewer = withGlobs((index) => `${index}**x`, 40_000);
    expect(faultsOf(...fewer, oneMore('x*'))).toMatchObject([{ documentIndex: 40, ...refusal }]);
  });
});

const mutants = {
  part: 1_000,
  whole: 5_000,
  named: (count: string) =>
    `none of ${count} mutated bundles makes compile throw, and none is both accepted and refused`,
};
testInPart(mutants, (rounds) => {
  const random = seeded(7);
  for (let round = 0; round < rounds; round += 1) {
    let documents: unknown = [...anyDocuments()];
    for (let times = 1 + random.below(3); times > 0; times -= 1) documents = mutate(documents, random);
    if (!Array.isArray(documents)) continue;
    const compiled = compile(documents);
    if (compiled.kind === 'invalid') expect(compiled.faults.length).toBeGreaterThan(0);
    else expect(compiled.documents).toHaveLength(documents.length);
  }
});
