import { describe, expect, test } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { processorMs } from '../../../scripts/processor-ms.ts';
import { intentFromValue, type ParsedIntent, parseIntent } from './parse-intent.ts';

const utf8 = new TextEncoder();
const parse = (value: unknown) => parseIntent(utf8.encode(JSON.stringify(value)));

const INTENT = { system: 'erp', objectType: 'vendor', objectRef: 'V-1', field: 'terms', agentValue: 'NET30' };
const ACTION = { system: 'pay', operation: 'refund.create' };
const ITEM = { controlId: 'identity', source: 'okta', result: 'PASS' };

function codeOf(parsed: ParsedIntent): string {
  return parsed.kind === 'intent' ? 'intent' : parsed.code;
}

function faultsOf(parsed: ParsedIntent): readonly string[] {
  return parsed.kind === 'intent'
    ? []
    : parsed.details.map(({ pointer, message }) => `${pointer} ${message}`);
}

/** Both entry points of the parser must agree. */
function expectFaults(value: unknown, code: string, faults: readonly string[]): void {
  for (const parsed of [parse(value), intentFromValue(value)]) {
    expect(faultsOf(parsed)).toEqual(faults);
    expect(codeOf(parsed)).toBe(code);
  }
}

function expectIntent(value: unknown, intent: unknown = value, warnings: readonly string[] = []): void {
  for (const parsed of [parse(value), intentFromValue(value)])
    expect(parsed).toEqual({ kind: 'intent', intent, warnings });
}

const withEvidence = (...items: unknown[]) => ({ ...ACTION, controlEvidence: items });

describe('errors of every kind', () => {
  const VERSION = [
    { schemaVersion: 'v1' },
    '/schemaVersion must be `write_intent.v1` or `action_request.v1`',
  ] as const;
  const SPELLING = [{ run_id: 'r' }, '/run_id unknown member `run_id`, did you mean `runId`'] as const;
  const OTHER = [{ workflowId: 1 }, '/workflowId must be a string, not a number'] as const;

  test('never cancel each other out, however many there are', () => {
    expectFaults({ ...INTENT, ...VERSION[0], ...SPELLING[0] }, 'unsupported_schema_version', [
      VERSION[1],
      SPELLING[1],
    ]);
    expectFaults({ ...INTENT, ...VERSION[0], ...OTHER[0] }, 'unsupported_schema_version', [
      VERSION[1],
      OTHER[1],
    ]);
    expectFaults({ ...INTENT, ...SPELLING[0], ...OTHER[0] }, 'unknown_member', [SPELLING[1], OTHER[1]]);
    expectFaults({ ...INTENT, ...VERSION[0], ...SPELLING[0], ...OTHER[0] }, 'unsupported_schema_version', [
      VERSION[1],
      SPELLING[1],
      OTHER[1],
    ]);
  });
});

describe('the two shapes', () => {
  test('an absent member does not appear, not even as undefined', () => {
    for (const parsed of [parse(withEvidence(ITEM)), intentFromValue(withEvidence(ITEM))]) {
      expect(parsed).toStrictEqual({ kind: 'intent', intent: withEvidence(ITEM), warnings: [] });
    }
    for (const parsed of [parse(INTENT), intentFromValue(INTENT)]) {
      expect(parsed).toStrictEqual({ kind: 'intent', intent: INTENT, warnings: [] });
    }
  });

  test('a write intent needs its five members and no more', () => {
    expectIntent(INTENT);
    for (const member of Object.keys(INTENT)) {
      expectFaults({ ...INTENT, [member]: undefined }, 'invalid_intent', [`/${member} is required`]);
      expectFaults({ ...INTENT, [member]: null }, 'invalid_intent', [`/${member} is required`]);
    }
  });

  test('an action request needs its two members and no more', () => {
    expectIntent(ACTION);
    expectFaults({ operation: 'refund.create' }, 'invalid_intent', ['/system is required']);
  });

  test('a null operation does not make an action request', () => {
    expectFaults({ system: 'pay', operation: null }, 'invalid_intent', [
      '/objectType is required',
      '/objectRef is required',
      '/field is required',
      '/agentValue is required',
    ]);
  });

  test('a write intent with an operation needs only the members of an action request', () => {
    expectIntent({ ...INTENT, operation: 'vendor.update' });
    expectIntent({ ...ACTION, field: 'terms' });
  });

  test.each([
    ['write_intent.v1', INTENT, 'intent'],
    ['write_intent.v1', ACTION, 'intent'],
    ['action_request.v1', ACTION, 'intent'],
    ['action_request.v1', INTENT, 'unsupported_schema_version'],
    ['action_request.v1', { ...INTENT, operation: null }, 'unsupported_schema_version'],
    ['write_intent.v2', INTENT, 'unsupported_schema_version'],
    ['WRITE_INTENT.V1', INTENT, 'unsupported_schema_version'],
    ['', INTENT, 'unsupported_schema_version'],
    [1, INTENT, 'unsupported_schema_version'],
    [false, INTENT, 'unsupported_schema_version'],
    [null, INTENT, 'intent'],
    [undefined, INTENT, 'intent'],
  ])('schemaVersion %j', (schemaVersion, body, code) => {
    expect(codeOf(parse({ ...body, schemaVersion }))).toBe(code);
    expect(codeOf(intentFromValue({ ...body, schemaVersion }))).toBe(code);
  });

  test('a sent schemaVersion is kept', () => {
    expectIntent({ ...ACTION, schemaVersion: 'action_request.v1' });
  });

  test('an invalid schemaVersion is reported', () => {
    expectFaults({ ...INTENT, schemaVersion: 'v1' }, 'unsupported_schema_version', [
      '/schemaVersion must be `write_intent.v1` or `action_request.v1`',
    ]);
    expectFaults({ ...INTENT, schemaVersion: 'action_request.v1' }, 'unsupported_schema_version', [
      '/schemaVersion is `action_request.v1`, which requires the member `operation`',
    ]);
  });

  test.each([
    [[], 'an array'],
    [null, 'null'],
    ['x', 'a string'],
    [5, 'a number'],
    [true, 'a boolean'],
  ])('the body %j is not an intent', (body, kind) => {
    expectFaults(body, 'invalid_intent', [` must be an object, not ${kind}`]);
    expect(parse(body)).toMatchObject({ message: `the body must be an object, not ${kind}` });
  });
});

describe('null counts as absent', () => {
  test('in every optional member', () => {
    const nulls = Object.fromEntries(
      [
        'schemaVersion',
        'objectType',
        'objectRef',
        'field',
        'agentValue',
        'authorityValue',
        'authoritySource',
        'authorityFound',
        'workflowId',
        'runId',
        'requiredControls',
        'controlEvidence',
        'metadata',
      ].map((member) => [member, null]),
    );
    expectIntent({ ...ACTION, ...nulls }, ACTION);
    const itemNulls = { checkedAt: null, expiresAt: null, evidenceRef: null, attestation: null };
    expectIntent(withEvidence({ ...ITEM, ...itemNulls }), withEvidence(ITEM));
    expectIntent({ ...ACTION, metadata: { agent: null, context: null, other: null } });
  });

  test('every sent member arrives', () => {
    expectIntent({
      schemaVersion: 'write_intent.v1',
      ...INTENT,
      authorityValue: 'NET30',
      authoritySource: 'vendor-master',
      authorityFound: false,
      operation: 'vendor.update',
      workflowId: 'onboarding',
      runId: 'run-1',
      requiredControls: ['identity', 'identity'],
      controlEvidence: [
        {
          ...ITEM,
          checkedAt: '2026-01-31T12:00:00Z',
          expiresAt: '2026-02-28T12:00:00.5+01:00',
          evidenceRef: 'ref',
          attestation: 'a.b.c',
        },
      ],
      metadata: { agent: 'bot', context: { amount: 1.5 }, any: [null] },
    });
    expectIntent({ ...ACTION, requiredControls: [], controlEvidence: [], metadata: {} });
  });
});

describe('types are strict', () => {
  const strings = [
    'system',
    'objectType',
    'objectRef',
    'field',
    'agentValue',
    'authorityValue',
    'authoritySource',
    'operation',
    'workflowId',
    'runId',
  ];
  test.each(strings)('%s is a string', (member) => {
    const body = { ...INTENT, ...ACTION };
    expectFaults({ ...body, [member]: 5 }, 'invalid_intent', [`/${member} must be a string, not a number`]);
    expectFaults({ ...body, [member]: true }, 'invalid_intent', [
      `/${member} must be a string, not a boolean`,
    ]);
    expectFaults({ ...body, [member]: {} }, 'invalid_intent', [`/${member} must be a string, not an object`]);
    expectFaults({ ...body, [member]: ['a'] }, 'invalid_intent', [
      `/${member} must be a string, not an array`,
    ]);
  });

  test('authorityFound is a boolean', () => {
    expectIntent({ ...ACTION, authorityFound: true });
    for (const [value, kind] of [
      ['true', 'a string'],
      [1, 'a number'],
      [[], 'an array'],
    ] as const) {
      expectFaults({ ...ACTION, authorityFound: value }, 'invalid_intent', [
        `/authorityFound must be a boolean, not ${kind}`,
      ]);
    }
  });

  test('requiredControls is an array of strings', () => {
    expectFaults({ ...ACTION, requiredControls: 'identity' }, 'invalid_intent', [
      '/requiredControls must be an array, not a string',
    ]);
    expectFaults({ ...ACTION, requiredControls: {} }, 'invalid_intent', [
      '/requiredControls must be an array, not an object',
    ]);
    expectFaults({ ...ACTION, requiredControls: ['a', null, 5] }, 'invalid_intent', [
      '/requiredControls/1 must be a string, not null',
      '/requiredControls/2 must be a string, not a number',
    ]);
  });

  test('controlEvidence is an array of objects', () => {
    expectFaults({ ...ACTION, controlEvidence: {} }, 'invalid_intent', [
      '/controlEvidence must be an array, not an object',
    ]);
    expectFaults(withEvidence(ITEM, null, [], 'x'), 'invalid_intent', [
      '/controlEvidence/1 must be an object, not null',
      '/controlEvidence/2 must be an object, not an array',
      '/controlEvidence/3 must be an object, not a string',
    ]);
  });

  test('an item needs a control, a source and a result', () => {
    for (const member of Object.keys(ITEM)) {
      expectFaults(withEvidence({ ...ITEM, [member]: null }), 'invalid_intent', [
        `/controlEvidence/0/${member} is required`,
      ]);
    }
    for (const member of [...Object.keys(ITEM), 'checkedAt', 'expiresAt', 'evidenceRef', 'attestation']) {
      expectFaults(withEvidence({ ...ITEM, [member]: 1 }), 'invalid_intent', [
        `/controlEvidence/0/${member} must be a string, not a number`,
      ]);
    }
  });

  test('metadata is an object, its agent a string, its context an object', () => {
    expectIntent({ ...ACTION, metadata: { agent: '', context: {} } });
    expectFaults({ ...ACTION, metadata: [] }, 'invalid_intent', [
      '/metadata must be an object, not an array',
    ]);
    expectFaults({ ...ACTION, metadata: 'x' }, 'invalid_intent', [
      '/metadata must be an object, not a string',
    ]);
    expectFaults({ ...ACTION, metadata: { agent: 1, context: [] } }, 'invalid_intent', [
      '/metadata/agent must be a string, not a number',
      '/metadata/context must be an object, not an array',
    ]);
    expectFaults({ ...ACTION, metadata: { context: 'x' } }, 'invalid_intent', [
      '/metadata/context must be an object, not a string',
    ]);
  });
});

describe('names', () => {
  const names = ['system', 'objectType', 'field', 'authoritySource', 'operation', 'workflowId', 'runId'];
  const place = (member: string, value: unknown): [unknown, string] =>
    member === 'source'
      ? [withEvidence({ ...ITEM, source: value }), '/controlEvidence/0/source']
      : [{ ...INTENT, ...ACTION, [member]: value }, `/${member}`];

  test.each([...names, 'source'])(
    '%s has 1 to 256 code points without control characters or spaces at the ends',
    (member) => {
      for (const good of [
        'a',
        '~',
        '!',
        'a b',
        'é',
        '\u{1f600}',
        'x'.repeat(64),
        'x'.repeat(65),
        'x'.repeat(256),
        '\u{1f600}'.repeat(256),
        'a\u200bb',
        '\ue000',
        'a\u00a0b',
      ]) {
        const [body] = place(member, good);
        expectIntent(body);
      }
      for (const [bad, fault] of [
        ['', 'must not be empty'],
        ['x'.repeat(257), 'is longer than 256 characters'],
        ['\u{1f600}'.repeat(257), 'is longer than 256 characters'],
        ['x'.repeat(513), 'is longer than 256 characters'],
        [' a', 'must not begin or end with a space'],
        ['a ', 'must not begin or end with a space'],
        [' ', 'must not begin or end with a space'],
        ['a\u00a0', 'must not begin or end with a space'],
        ['\u3000a', 'must not begin or end with a space'],
        ['\u0000', 'must not contain control characters'],
        ['a\nb', 'must not contain control characters'],
        ['a\tb', 'must not contain control characters'],
        ['a\u001fb', 'must not contain control characters'],
        ['a\u007fb', 'must not contain control characters'],
        ['a\u0080b', 'must not contain control characters'],
        ['a\u009fb', 'must not contain control characters'],
      ] as const) {
        const [body, pointer] = place(member, bad);
        expectFaults(body, 'invalid_intent', [`${pointer} ${fault}`]);
      }
    },
  );

  test('a control id is the same in ASCII', () => {
    for (const good of ['a', 'dual control', '!~', 'x'.repeat(256)]) {
      expectIntent({ ...withEvidence({ ...ITEM, controlId: good }), requiredControls: [good] });
    }
    for (const [bad, fault] of [
      ['', 'must not be empty'],
      ['x'.repeat(257), 'is longer than 256 characters'],
      [' a', 'must not begin or end with a space'],
      ['a ', 'must not begin or end with a space'],
      ['a\u0000', 'must not contain control characters'],
      ['a\u007f', 'must not contain control characters'],
      ['a\u0080', 'must not contain control characters'],
      ['é', 'must be ASCII'],
      ['\u{1f600}', 'must be ASCII'],
      ['x\u00a0x', 'must be ASCII'],
    ] as const) {
      expectFaults(
        { ...withEvidence({ ...ITEM, controlId: bad }), requiredControls: ['a', bad] },
        'invalid_intent',
        [`/requiredControls/1 ${fault}`, `/controlEvidence/0/controlId ${fault}`],
      );
    }
  });
});

describe('limits', () => {
  test.each(['objectRef', 'agentValue', 'authorityValue'])(
    '%s is any text up to 16 KiB of UTF-8',
    (member) => {
      for (const good of [
        '',
        ' ',
        '\u0000',
        'x'.repeat(16_384),
        `${'é'.repeat(8_192)}`,
        `${'€'.repeat(5_461)}x`,
      ]) {
        expectIntent({ ...INTENT, [member]: good });
      }
      for (const bad of [
        'x'.repeat(16_385),
        `${'é'.repeat(8_192)}x`,
        `${'€'.repeat(5_461)}xx`,
        '\u{1f600}'.repeat(4_097),
      ]) {
        expectFaults({ ...INTENT, [member]: bad }, 'invalid_intent', [
          `/${member} is longer than 16384 bytes`,
        ]);
      }
    },
  );

  test('result has 64 characters, evidenceRef 1,024, attestation 24 KiB', () => {
    expectIntent(withEvidence({ ...ITEM, result: '', evidenceRef: '', attestation: '' }));
    expectIntent(
      withEvidence({
        ...ITEM,
        result: '\u{1f600}'.repeat(64),
        evidenceRef: '\u{1f600}'.repeat(1_024),
        attestation: 'x'.repeat(24_576),
      }),
    );
    for (const character of ['x', '\u{1f600}']) {
      expectFaults(
        withEvidence({
          ...ITEM,
          result: character.repeat(65),
          evidenceRef: character.repeat(1_025),
          attestation: character.repeat(24_577),
        }),
        'invalid_intent',
        [
          '/controlEvidence/0/result is longer than 64 characters',
          '/controlEvidence/0/evidenceRef is longer than 1024 characters',
          '/controlEvidence/0/attestation is longer than 24576 bytes',
        ],
      );
    }
  });

  test('64 required controls', () => {
    const controls = (count: number) => ({
      ...ACTION,
      requiredControls: Array.from({ length: count }, (_, i) => `c${i}`),
    });
    expectIntent(controls(64));
    expectFaults(controls(65), 'invalid_intent', [
      '/requiredControls has 65 controls, at most 64 are allowed',
    ]);
  });

  test('128 evidence items, 16 of them attested', () => {
    const items = (count: number, attested: number) =>
      withEvidence(
        ...Array.from({ length: count }, (_, i) => (i < attested ? { ...ITEM, attestation: 'a.b.c' } : ITEM)),
      );
    expectIntent(items(128, 16));
    expectFaults(items(129, 0), 'invalid_intent', [
      '/controlEvidence has 129 items, at most 128 are allowed',
    ]);
    expectFaults(items(20, 17), 'invalid_intent', [
      '/controlEvidence has 17 attested items, at most 16 are allowed',
    ]);
  });

  test('a list over its limit is reported once, not once per element', () => {
    expectFaults({ ...ACTION, requiredControls: Array(1_000).fill(0) }, 'invalid_intent', [
      '/requiredControls has 1000 controls, at most 64 are allowed',
      ...Array.from({ length: 64 }, (_, i) => `/requiredControls/${i} must be a string, not a number`),
    ]);
    const parsed = parse({ ...ACTION, controlEvidence: Array(1_000).fill(0) });
    expect(faultsOf(parsed)).toHaveLength(129);
  });

  test('metadata has 16 KiB as sent, spaces and escapes included', () => {
    const body = (metadata: string) =>
      utf8.encode(
        `{"system":"pay","operation":"a.b", "m\\u0065tadata" : ${metadata} ,"runId":"${'r'.repeat(200)}"}`,
      );
    const padded = (length: number) => `{"a":"]}\\"",${' '.repeat(length - 18)}"b":1}`;
    expect(padded(100)).toHaveLength(100);
    expect(codeOf(parseIntent(body(padded(16_384))))).toBe('intent');
    expect(faultsOf(parseIntent(body(padded(16_385))))).toEqual(['/metadata is longer than 16384 bytes']);
    const escaped = `{"a":"${'\\u0061'.repeat(3_000)}"}`;
    expect(faultsOf(parseIntent(body(escaped)))).toEqual(['/metadata is longer than 16384 bytes']);
    expect(codeOf(intentFromValue({ ...ACTION, metadata: { a: 'x'.repeat(16_376) } }))).toBe('intent');
    expect(faultsOf(intentFromValue({ ...ACTION, metadata: { a: 'x'.repeat(16_377) } }))).toEqual([
      '/metadata is longer than 16384 bytes',
    ]);
  });

  test('other members do not count towards the limit of metadata', () => {
    const long = { ...INTENT, agentValue: 'x'.repeat(16_384), metadata: { metadata: { a: 1 } } };
    expectIntent(long);
  });
});

describe('times', () => {
  test.each([
    '2026-02-30T00:00:00Z',
    '2026-01-31',
    'yesterday',
    '',
    '2026-01-31 12:00:00Z',
    '2025-02-29T00:00:00',
  ])('%j is refused', (time) => {
    const fault = 'must be an RFC 3339 date-time like `2026-01-31T12:00:00Z`';
    expectFaults(withEvidence({ ...ITEM, checkedAt: time, expiresAt: time }), 'invalid_intent', [
      `/controlEvidence/0/checkedAt ${fault}`,
      `/controlEvidence/0/expiresAt ${fault}`,
    ]);
  });

  test('a time without an offset is accepted with a warning', () => {
    const body = withEvidence(ITEM, {
      ...ITEM,
      checkedAt: '2026-01-31T12:00:00',
      expiresAt: '2026-01-31T12:00:00.5',
    });
    expectIntent(body, body, [
      '`/controlEvidence/1/checkedAt` has no offset, so its age counts as unknown',
      '`/controlEvidence/1/expiresAt` has no offset, so it counts as past',
    ]);
  });
});

describe('unknown members', () => {
  test.each([
    ['required_controls', 'requiredControls'],
    ['RequiredControls', 'requiredControls'],
    ['requiredControl', 'requiredControls'],
    ['reuqiredControls', 'requiredControls'],
    ['System', 'system'],
    ['run-id', 'runId'],
    ['meta_data', 'metadata'],
    ['metadat', 'metadata'],
    ['schema_version', 'schemaVersion'],
  ])('%s is refused as a misspelling of %s', (name, meant) => {
    expectFaults({ ...ACTION, [name]: null }, 'unknown_member', [
      `/${name} unknown member \`${name}\`, did you mean \`${meant}\``,
    ]);
  });

  test('in evidence items too', () => {
    expectFaults(
      withEvidence({ ...ITEM, checked_at: '2026-01-31T12:00:00Z', Source: 'x' }),
      'unknown_member',
      [
        '/controlEvidence/0/checked_at unknown member `checked_at`, did you mean `checkedAt`',
        '/controlEvidence/0/Source unknown member `Source`, did you mean `source`',
      ],
    );
  });

  test('never inside metadata', () => {
    expectIntent({ ...ACTION, metadata: { required_controls: [], Agent: 1, context: { System: 1 } } });
  });

  test('a name with a character that nobody sees is refused, but never inside metadata', () => {
    expectFaults({ ...ACTION, 'x\u200b': 1 }, 'unknown_member', [
      '/x\\u{200b} unknown member `x\\u{200b}` has a control or invisible character; remove the character or the member',
    ]);
    expectIntent({ ...ACTION, metadata: { 'x\u200b': 1, context: { '\u00ad': { '\u0007': 1 } } } });
  });

  test('a foreign member is ignored with a warning that names it', () => {
    expectIntent({ ...ACTION, extra: 1, 'a/b': null }, ACTION, [
      'unknown members are ignored: `extra`, `a/b`',
    ]);
    expectIntent(withEvidence({ ...ITEM, note: 1 }), withEvidence(ITEM), [
      'unknown members of `/controlEvidence/0` are ignored: `note`',
    ]);
  });

  test('the warning shortens a foreign name to 64 whole characters', () => {
    for (const [name, shown] of [
      ['x'.repeat(64), 'x'.repeat(64)],
      ['x'.repeat(65), `${'x'.repeat(64)}…`],
      ['𝔘'.repeat(64), '𝔘'.repeat(64)],
      ['𝔘'.repeat(65), `${'𝔘'.repeat(64)}…`],
      [`${'𝔘'.repeat(64)}x`, `${'𝔘'.repeat(64)}…`],
    ]) {
      expectIntent({ ...ACTION, [name!]: 1 }, ACTION, [`unknown members are ignored: \`${shown}\``]);
    }
  });

  test('a name that every object inherits is an ordinary foreign member', () => {
    const hostile = [
      'constructor',
      'toString',
      'hasOwnProperty',
      'valueOf',
      'isPrototypeOf',
      '__defineGetter__',
    ];
    const members = Object.fromEntries(hostile.map((name) => [name, 1]));
    const names = hostile.map((name) => `\`${name}\``).join(', ');
    expectIntent({ ...ACTION, ...members }, ACTION, [`unknown members are ignored: ${names}`]);
  });

  test('a pointer escapes `~` and `/` in a name', () => {
    expectFaults({ ...ACTION, 'requiredControls~': 1, 'objectRef/': 1 }, 'unknown_member', [
      '/requiredControls~0 unknown member `requiredControls~`, did you mean `requiredControls`',
      '/objectRef~1 unknown member `objectRef/`, did you mean `objectRef`',
    ]);
  });
});

describe('all errors are reported together', () => {
  test('schemaVersion first, then misspellings, then the rest', () => {
    const body = {
      schemaVersion: 'v9',
      System: 'x',
      system: ' ',
      operation: 5,
      runId: '',
      controlEvidence: [{ ControlId: 'a' }],
    };
    const faults = [
      '/schemaVersion must be `write_intent.v1` or `action_request.v1`',
      '/System unknown member `System`, did you mean `system`',
      '/controlEvidence/0/ControlId unknown member `ControlId`, did you mean `controlId`',
      '/system must not begin or end with a space',
      '/operation must be a string, not a number',
      '/runId must not be empty',
      '/controlEvidence/0/controlId is required',
      '/controlEvidence/0/source is required',
      '/controlEvidence/0/result is required',
    ];
    expectFaults(body, 'unsupported_schema_version', faults);
    expectFaults({ ...body, schemaVersion: null }, 'unknown_member', faults.slice(1));
    expect(parse(body)).toMatchObject({
      message: '`/schemaVersion` must be `write_intent.v1` or `action_request.v1` (and 8 more, see details)',
    });
    expect(parse({ operation: 'a.b' })).toMatchObject({ message: '`/system` is required' });
  });
});

describe('values parsed elsewhere', () => {
  test.each([
    [{ ...ACTION, metadata: { a: Number.NaN } }, '/metadata/a', 'the number is not finite'],
    [{ ...ACTION, metadata: { a: [Number.POSITIVE_INFINITY] } }, '/metadata/a/0', 'the number is not finite'],
    [{ ...ACTION, metadata: { a: '\ud800' } }, '/metadata/a', 'the string contains a lone surrogate'],
    [{ ...ACTION, metadata: { '\udfff': 1 } }, '/metadata', 'a member name contains a lone surrogate'],
    [
      { ...ACTION, metadata: JSON.parse('{"__proto__":1}') },
      '/metadata',
      'a member must not be named `__proto__`',
    ],
    [{ ...ACTION, metadata: { a: 1n } }, '/metadata/a', 'a bigint is not a JSON value'],
    [{ ...ACTION, metadata: { a: () => 1 } }, '/metadata/a', 'a function is not a JSON value'],
    [{ ...ACTION, metadata: { a: [undefined] } }, '/metadata/a/0', 'a undefined is not a JSON value'],
    [{ ...ACTION, metadata: { a: [1, 'b', 2n] } }, '/metadata/a/2', 'a bigint is not a JSON value'],
    [
      { ...ACTION, metadata: { a: new Date(0) } },
      '/metadata/a',
      'only plain objects and arrays are JSON values',
    ],
    [{ ...ACTION, metadata: new Map() }, '/metadata', 'only plain objects and arrays are JSON values'],
    [undefined, '', 'a undefined is not a JSON value'],
  ])('%# is refused as malformed', (value, pointer, message) => {
    expect(intentFromValue(value)).toEqual({
      kind: 'refused',
      code: 'malformed_json',
      message,
      details: [{ pointer, message }],
    });
  });

  test('depth 32 is accepted, depth 33 and a cycle are not', () => {
    const nested = (depth: number): unknown => (depth === 1 ? {} : { a: nested(depth - 1) });
    expect(codeOf(intentFromValue({ ...ACTION, metadata: nested(31) }))).toBe('intent');
    expect(codeOf(intentFromValue({ ...ACTION, metadata: nested(32) }))).toBe('malformed_json');
    const list = (depth: number): unknown => (depth === 1 ? [] : [list(depth - 1)]);
    expect(codeOf(intentFromValue({ ...ACTION, metadata: { a: list(30) } }))).toBe('intent');
    expect(codeOf(intentFromValue({ ...ACTION, metadata: { a: list(31) } }))).toBe('malformed_json');
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(intentFromValue({ ...ACTION, metadata: cycle })).toMatchObject({
      code: 'malformed_json',
      details: [{ message: 'the value is nested too deeply' }],
    });
  });

  test('an undefined member counts as absent, and an object may have no prototype', () => {
    const bare = Object.assign(Object.create(null), { ...ACTION, runId: undefined });
    expect(intentFromValue(bare)).toEqual({ kind: 'intent', intent: ACTION, warnings: [] });
    expect(codeOf(intentFromValue({ ...ACTION, metadata: { a: [true, null, 'x', 1] } }))).toBe('intent');
  });
});

describe('no bytes make the parser throw', () => {
  test('a body that is not strict JSON is malformed, with its place', () => {
    expect(parseIntent(utf8.encode('{"system":"a","system":"b"}'))).toEqual({
      kind: 'refused',
      code: 'malformed_json',
      message: 'the member `system` appears twice (line 1, column 15, byte 14)',
      details: [{ pointer: '', message: 'the member `system` appears twice (line 1, column 15, byte 14)' }],
    });
    expect(codeOf(parseIntent(new Uint8Array()))).toBe('malformed_json');
    expect(codeOf(parseIntent(utf8.encode('['.repeat(200_000))))).toBe('malformed_json');
  });

  test('any value', () => {
    const known = fc.constantFrom(
      'system',
      'operation',
      'schemaVersion',
      'controlEvidence',
      'requiredControls',
      'metadata',
      'requiredControl',
    );
    const anything = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.dictionary(known, fc.jsonValue({ maxDepth: 3 })),
    );
    fc.assert(
      fc.property(anything, (value) => {
        const fromBytes = parse(value);
        const fromValue = intentFromValue(value);
        expect(fromValue.kind).toBe(fromBytes.kind);
        if (fromBytes.kind === 'refused') expect(fromBytes.details.length).toBeGreaterThan(0);
      }),
      { numRuns: 2_000 },
    );
  });

  test('random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(parseIntent(bytes).kind).toBe('refused');
      }),
      { numRuns: 2_000 },
    );
  });
});

test('a body full of unknown names costs little', () => {
  const members = Array.from({ length: 8_000 }, (_, i) => `"${i.toString(36)}":0`);
  const bytes = utf8.encode(`{${members}}`);
  const begun = processorMs();
  expect(parseIntent(bytes).kind).toBe('refused');
  expect(processorMs() - begun).toBeLessThan(2_000);
});
