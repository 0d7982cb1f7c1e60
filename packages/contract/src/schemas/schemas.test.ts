import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { fc } from '../../../../scripts/fast-check.ts';
import { intentFromValue } from '../parse-intent.ts';
import { actionRequestSchema } from './action-request-v1.ts';
import { writeIntentSchema } from './write-intent-v1.ts';

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
const isWriteIntent = ajv.compile(writeIntentSchema);
const isActionRequest = ajv.compile(actionRequestSchema);

const schemasAccept = (body: unknown) => isWriteIntent(body) || isActionRequest(body);
const parserAccepts = (body: unknown) => intentFromValue(body).kind === 'intent';

/**
 * Rules that only the parser can check:
 * - how text becomes a value (duplicate names, depth, byte order mark and the rest of strict parsing);
 * - lengths in bytes (`é` in 16 KiB, `metadata` as sent);
 * - a leap second only when UTC has one;
 * - a misspelling one edit away from a known name, or with non-ASCII letters;
 * - lone surrogates.
 */
const name = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      'erp',
      'a b',
      'é',
      'x'.repeat(256),
      '\u{1f600}'.repeat(256),
      'a\u00a0b',
      '\u200b',
    ),
  },
  fc.constantFrom(
    '',
    ' ',
    ' a',
    'a ',
    'a\u00a0',
    '\ufeffa',
    'a\u2028',
    '\u3000',
    'a\u0000b',
    'a\u007f',
    '\u0085',
    '\u009fa',
    'a\nb',
    'x'.repeat(257),
    '\u{1f600}'.repeat(257),
  ),
);
const controlId = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('identity', 'dual control', '!', 'x'.repeat(256)) },
  name,
);
const text = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('', ' ', 'NET30', 'x'.repeat(16_384), '\u0000') },
  fc.constant('x'.repeat(16_385)),
);
const wrongType = fc.constantFrom<unknown>(0, 1.5, true, false, [], {}, ['a'], { a: 1 });
const two = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
const dateTime = fc
  .tuple(
    fc.constantFrom('2024', '2025', '2000', '1900', '0000', '9999', '26'),
    two(13),
    two(32),
    fc.constantFrom('T', 't', ' '),
    two(25),
    two(61),
    // 60 is left out: a schema cannot know leap seconds.
    two(62).filter((second) => second !== '60'),
    fc.constantFrom('', '.5', '.', '.123456789', ',5'),
    fc.constantFrom('Z', 'z', '', '+01:00', '-23:59', '+24:00', '+01:60', '+0100', ' Z'),
  )
  .map(
    ([year, month, day, t, hour, minute, second, fraction, offset]) =>
      `${year}-${month}-${day}${t}${hour}:${minute}:${second}${fraction}${offset}`,
  );
const time = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('2026-01-31T12:00:00Z', '2024-02-29T00:00:00.5+14:00', '2026-12-31T23:59:59'),
  },
  dateTime,
);

/** Mostly valid, sometimes null, of the wrong type, or absent. */
const member = <T>(good: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 30, arbitrary: good }, fc.constant(null), wrongType, fc.constant(undefined));

const foreignMembers = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  fc.dictionary(
    fc.constantFrom(
      'extra',
      'note',
      'Systems',
      'constructor',
      'required_controls',
      'SYSTEM',
      'control-Evidence',
      'run_id',
      '_field_',
      'Source',
      'CheckedAt',
      'control_id',
      'result-',
    ),
    fc.constantFrom<unknown>(null, 1, 'x'),
    { maxKeys: 2 },
  ),
);

const item = fc
  .tuple(
    fc.record({
      controlId: member(controlId),
      source: member(name),
      result: member(fc.constantFrom('PASS', '', 'x'.repeat(64), '\u{1f600}'.repeat(64), 'x'.repeat(65))),
      checkedAt: member(time),
      expiresAt: member(time),
      evidenceRef: member(
        fc.constantFrom('', 'x'.repeat(1_024), '\u{1f600}'.repeat(1_024), 'x'.repeat(1_025)),
      ),
      attestation: member(fc.constantFrom('', 'a.b.c', 'x'.repeat(8_192), 'x'.repeat(8_193))),
    }),
    foreignMembers,
  )
  .map(([members, foreign]) => ({ ...members, ...foreign }));

const goodItem = { controlId: 'identity', source: 'okta', result: 'PASS' };
const manyItems = fc
  .tuple(fc.integer({ min: 120, max: 135 }), fc.integer({ min: 12, max: 20 }))
  .map(([count, attested]) =>
    Array.from({ length: count }, (_, i) =>
      i < attested ? { ...goodItem, attestation: 'a.b.c' } : goodItem,
    ),
  );

const metadata = fc.oneof(
  fc.record({
    agent: member(fc.string()),
    context: fc.oneof(fc.constant(null), fc.constant({ a: 1 }), fc.constant([]), fc.constant('x')),
  }),
  fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    .filter((value) => !('agent' in value || 'context' in value)),
);

const body = fc
  .tuple(
    fc.record({
      schemaVersion: fc.oneof(
        {
          weight: 4,
          arbitrary: fc.constantFrom<unknown>(undefined, null, 'write_intent.v1', 'action_request.v1'),
        },
        fc.constantFrom<unknown>('v1', '', 5, {}),
      ),
      system: member(name),
      objectType: member(name),
      objectRef: member(text),
      field: member(name),
      agentValue: member(text),
      authorityValue: member(text),
      authoritySource: member(name),
      authorityFound: member(fc.boolean()),
      operation: fc.oneof(fc.constant(undefined), fc.constant(null), member(name)),
      workflowId: member(name),
      runId: member(name),
      requiredControls: member(
        fc.oneof(
          fc.array(controlId, { maxLength: 3 }),
          fc.constantFrom(Array(64).fill('a'), Array(65).fill('a'), [null], [1]),
        ),
      ),
      controlEvidence: member(
        fc.oneof(
          fc.array(item, { maxLength: 2 }),
          fc.array(fc.constant(goodItem), { maxLength: 2 }),
          manyItems,
          fc.constant([null]),
        ),
      ),
      metadata: member(metadata),
    }),
    foreignMembers,
    fc.subarray(
      [
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
      ],
      { minLength: 5 },
    ),
  )
  .map(([members, foreign, left]) => {
    const whole: Record<string, unknown> = { ...members, ...foreign };
    for (const name of left) delete whole[name];
    // A caller would send no undefined members.
    return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
  })
  .map((value) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

describe('the published schemas agree with the parser', () => {
  test('on generated bodies, both ways', () => {
    const seen = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(body, (value) => {
        const accepted = parserAccepts(value);
        expect(schemasAccept(value), JSON.stringify(value).slice(0, 2_000)).toBe(accepted);
        seen[accepted ? 'accepted' : 'refused'] += 1;
      }),
      { numRuns: 6_000 },
    );
    expect(seen.accepted).toBeGreaterThan(300);
    expect(seen.refused).toBeGreaterThan(300);
  });

  test('on bodies with a single member of every kind, both ways', () => {
    const base = {
      system: 's',
      objectType: 't',
      objectRef: 'r',
      field: 'f',
      agentValue: 'v',
      operation: 'o.p',
    };
    const names = [
      ...Object.keys(base),
      'authorityValue',
      'authoritySource',
      'authorityFound',
      'workflowId',
      'runId',
      'requiredControls',
      'controlEvidence',
      'metadata',
      'schemaVersion',
    ];
    const values = fc.oneof(
      name,
      controlId,
      text,
      wrongType,
      time,
      fc.constant(null),
      item.map((value) => [value]),
      metadata,
      fc.constantFrom('write_intent.v1', 'action_request.v1'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...names), values, fc.boolean(), (member, value, hasOperation) => {
        const { operation, ...rest } = base;
        const whole = JSON.parse(
          JSON.stringify({ ...rest, ...(hasOperation ? { operation } : {}), [member]: value }),
        );
        expect(schemasAccept(whole), JSON.stringify(whole).slice(0, 2_000)).toBe(parserAccepts(whole));
      }),
      { numRuns: 6_000 },
    );
  });

  test('on times', () => {
    const seen = { accepted: 0, refused: 0 };
    const held = (checkedAt: string) => {
      const whole = { system: 's', operation: 'o', controlEvidence: [{ ...goodItem, checkedAt }] };
      const accepted = parserAccepts(whole);
      expect(schemasAccept(whole), checkedAt).toBe(accepted);
      seen[accepted ? 'accepted' : 'refused'] += 1;
    };
    fc.assert(fc.property(dateTime, held), { numRuns: 5_000 });
    for (const year of [
      '1900',
      '1904',
      '1996',
      '2000',
      '2023',
      '2024',
      '2100',
      '2400',
      '0000',
      '0004',
      '9996',
    ]) {
      for (let month = 0; month <= 13; month += 1) {
        for (let day = 0; day <= 32; day += 1) {
          held(`${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}T00:00:00Z`);
        }
      }
    }
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(1_000);
  });

  test('each schema accepts its own shape only', () => {
    const intent = { system: 's', objectType: 't', objectRef: 'r', field: 'f', agentValue: 'v' };
    const action = { system: 's', operation: 'o' };
    expect([isWriteIntent(intent), isActionRequest(intent)]).toEqual([true, false]);
    expect([isWriteIntent(action), isActionRequest(action)]).toEqual([false, true]);
    expect(isWriteIntent({ ...intent, schemaVersion: 'action_request.v1' })).toBe(false);
  });

  test('their examples are valid', () => {
    for (const example of writeIntentSchema.examples as unknown[]) expect(isWriteIntent(example)).toBe(true);
    for (const example of actionRequestSchema.examples as unknown[])
      expect(isActionRequest(example)).toBe(true);
  });

  test('the parser alone refuses what a schema cannot express', () => {
    const action = { system: 's', operation: 'o' };
    for (const beyond of [
      { ...action, agentValue: 'é'.repeat(8_193) },
      { ...action, metadata: { a: 'x'.repeat(16_384) } },
      { ...action, controlEvidence: [{ ...goodItem, checkedAt: '2026-01-01T12:00:60Z' }] },
      { ...action, requiredControl: ['identity'] },
      { ...action, 'wor\u212aflowId': 'x' },
      { ...action, agentValue: '\ud800' },
    ]) {
      expect(schemasAccept(beyond)).toBe(true);
      expect(parserAccepts(beyond)).toBe(false);
    }
  });
});
