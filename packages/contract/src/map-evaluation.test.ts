import { describe, expect, test } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { canBeListed, mapEvaluation } from './map-evaluation.ts';
import { parseIntent } from './parse-intent.ts';
import { parseStrictJson } from './strict-json.ts';

const PLAIN = {
  subject: { type: 'user', id: 'ada' },
  action: { name: 'refund.pay' },
  resource: { type: 'refund', id: 'R-1' },
};
const map = (value: unknown, defaults = {}, listed: readonly string[] = []) =>
  mapEvaluation(value, defaults, listed);
const intentOf = (...args: Parameters<typeof map>) => {
  const mapped = map(...args);
  if (mapped.kind === 'faulty') throw new Error(mapped.message);
  return mapped.intent;
};
const faultOf = (...args: Parameters<typeof map>) => {
  const mapped = map(...args);
  return mapped.kind === 'faulty' ? mapped.message : null;
};
const inContext = (context: unknown) => ({ ...PLAIN, context });

describe('an evaluation becomes an action request', () => {
  test('with every member in its place', () => {
    const item = { controlId: 'approval', source: 'desk', result: 'PASS' };
    expect(
      intentOf(
        {
          subject: { type: 'user', id: 'ada', properties: { act: { sub: 'robot' }, role: 'clerk' } },
          action: { name: 'refund.pay', properties: { amount: 5 } },
          resource: { type: 'refund', id: 'R-1', properties: { status: 'open' } },
          context: {
            write: { system: 'erp', field: 'amount', value: '5' },
            authority: { found: true, value: '5', source: 'ledger' },
            required_controls: ['approval'],
            control_evidence: [item],
            workflow_id: 'w',
            run_id: 'r',
            ip: '10.0.0.1',
            channel: 'web',
          },
        },
        {},
        ['channel', 'absent'],
      ),
    ).toEqual({
      system: 'erp',
      objectType: 'refund',
      objectRef: 'R-1',
      operation: 'refund.pay',
      field: 'amount',
      agentValue: '5',
      authorityFound: true,
      authorityValue: '5',
      authoritySource: 'ledger',
      requiredControls: ['approval'],
      controlEvidence: [item],
      workflowId: 'w',
      runId: 'r',
      metadata: {
        agent: 'robot',
        context: {
          subject: { type: 'user', id: 'ada', properties: { act: { sub: 'robot' }, role: 'clerk' } },
          resource: { properties: { status: 'open' } },
          action: { properties: { amount: 5 } },
          request: { channel: 'web' },
        },
      },
    });
  });

  test('without missing members', () => {
    const bare = {
      system: 'authzen',
      objectType: 'refund',
      objectRef: 'R-1',
      operation: 'refund.pay',
      metadata: { agent: 'ada', context: { subject: { type: 'user', id: 'ada' } } },
    };
    expect(intentOf(PLAIN)).toEqual(bare);
    for (const context of [null, undefined, {}, { write: {}, authority: {}, ip: 1 }])
      expect(intentOf(inContext(context), {}, ['channel'])).toEqual(bare);
    expect(intentOf(inContext({ channel: null }), {}, ['channel'])).toEqual(bare);
    for (const properties of [null, {}])
      expect(intentOf({ ...PLAIN, resource: { ...PLAIN.resource, properties } })).toEqual(bare);
    for (const act of [null, 'robot', { sub: 7 }, {}])
      expect(intentOf({ ...PLAIN, subject: { ...PLAIN.subject, properties: { act } } }).metadata!.agent).toBe(
        'ada',
      );
  });
});

test('a policy lists members of the context that have no other meaning', () => {
  for (const name of ['channel', 'ip', 'run', 'writer', 'time']) expect(canBeListed(name), name).toBe(true);
  for (const name of [
    'write',
    'authority',
    'run_id',
    'workflow_id',
    'Write',
    'requiredControls',
    '__proto__',
  ])
    expect(canBeListed(name), name).toBe(false);
});

describe('an error that would drop a requirement or move the write is refused', () => {
  test.each([
    'requiredControls',
    'required_control',
    'Required-Controls',
    'control_evidences',
    'controlevidence',
    'workflowId',
    'workflow_i',
    'Authority',
    'authorty',
    'WRITE',
    'wr_ite',
  ])('a misspelt member of the context: %s', (name) => {
    expect(faultOf(inContext({ [name]: {} }))).toContain('did you mean');
  });

  test('but words with another meaning are ignored', () => {
    for (const name of ['writer', 'rite', 'run', 'runId', 'controls', 'workflow', 'foo'])
      expect(faultOf(inContext({ [name]: {} })), name).toBeNull();
  });

  test('an unknown member of write and authority', () => {
    expect(faultOf(inContext({ write: { sistem: 'erp' } }))).toContain('it has system, field, value');
    expect(faultOf(inContext({ authority: { found: true, ttl: 5 } }))).toContain(
      'it has found, value, source',
    );
  });

  test('null in a named member', () => {
    for (const name of [
      'write',
      'authority',
      'required_controls',
      'control_evidence',
      'workflow_id',
      'run_id',
    ])
      expect(faultOf(inContext({ [name]: null })), name).toContain('must not be null');
    expect(faultOf(inContext({ write: { system: null } }))).toContain('`/context/write/system`');
    for (const name of ['subject', 'action', 'resource'])
      expect(faultOf({ ...PLAIN, [name]: null })).toBe(`\`/${name}\` must be an object, not null`);
    expect(faultOf({ ...PLAIN, subject: { type: null, id: 'a' } })).toContain('`/subject/type`');
  });

  test('types, and values that our own form cannot express, with the place the caller knows', () => {
    expect(faultOf(inContext(5))).toBe('`/context` must be an object, not a number');
    expect(faultOf({ ...PLAIN, action: { name: 'x', properties: [] } })).toContain('`/action/properties`');
    expect(faultOf(inContext({ required_controls: 'approval' }))).toContain('`/context/required_controls`');
    expect(faultOf(inContext({ control_evidence: [{ controlId: 'a', result: 'PASS' }] }))).toBe(
      '`/context/control_evidence/0/source` is required',
    );
    expect(faultOf(inContext({ write: { system: ' erp' } }))).toContain('`/context/write/system`');
    const large = { ...PLAIN, action: { name: 'x', properties: { text: 'x'.repeat(17_000) } } };
    expect(faultOf(large)).toBe(
      'the metadata made of `subject`, `properties` and the listed members of `context` is longer than 16384 bytes',
    );
  });
});

describe('an item of a batch', () => {
  const DEFAULTS = {
    ...PLAIN,
    subject: { ...PLAIN.subject, properties: { role: 'clerk' } },
    context: { run_id: 'r' },
  };

  test('takes the identity of an entity from the default, but never its properties', () => {
    expect(intentOf({}, DEFAULTS)).toMatchObject({
      runId: 'r',
      metadata: { context: { subject: { properties: { role: 'clerk' } } } },
    });
    expect(intentOf({ subject: { id: 'bob' } }, DEFAULTS).metadata!.context).toEqual({
      subject: { type: 'user', id: 'bob' },
    });
    expect(intentOf({ context: {} }, DEFAULTS).runId).toBeUndefined();
    expect(intentOf({ context: null }, DEFAULTS).runId).toBe('r');
  });

  test('is invalid if it inherits an invalid member', () => {
    expect(faultOf({}, { ...DEFAULTS, subject: 5 })).not.toBeNull();
    expect(faultOf({ subject: { id: 'bob' } }, { ...DEFAULTS, subject: { type: 7 } })).not.toBeNull();
    expect(faultOf({ subject: { type: 'user', id: 'bob' } }, { ...DEFAULTS, subject: 5 })).toBeNull();
    for (const item of [null, 5, 'x', []]) expect(faultOf(item, DEFAULTS)).toContain('must be an object');
  });
});

test('every mapped intent can be read again from its text, and means the same', () => {
  const numbers = fc.oneof(
    fc.constantFrom(1e16, 2 ** 53, -1e20, 1e21, 1e300, -0, 0.1),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const value = fc.oneof(
    numbers,
    fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
    fc.boolean(),
    fc.constant(null),
  );
  const properties = fc.dictionary(
    fc.string().filter((name) => name !== '__proto__'),
    fc.oneof(value, fc.array(value)),
  );
  fc.assert(
    fc.property(properties, fc.integer({ min: 0, max: 40 }), (own, depth) => {
      let nested: unknown = own;
      for (let i = 0; i < depth; i += 1) nested = { nested };
      const body = Buffer.from(
        JSON.stringify({ ...PLAIN, resource: { ...PLAIN.resource, properties: { nested } } }),
      );
      const read = parseStrictJson(body);
      if (read.kind === 'malformed') return;
      const mapped = map(read.value);
      if (mapped.kind === 'faulty') return;
      expect(parseIntent(Buffer.from(mapped.text))).toMatchObject({
        kind: 'intent',
        intent: mapped.intent,
        warnings: mapped.warnings,
      });
    }),
    { numRuns: 50 },
  );
  const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
  const nesting = (levels: number) => faultOf({ ...PLAIN, action: { name: 'x', properties: deep(levels) } });
  expect(nesting(28)).toBeNull();
  expect(nesting(29)).toContain('nested too deeply');
});

test('a number that the strict parser accepts is accepted, however it would be written', () => {
  for (const written of ['1e16', '9007199254740993.0', '-1.5e20', '1e21', '1e308']) {
    const body = `{"subject":{"type":"user","id":"a","properties":{"n":[${written}]}},"action":{"name":"x"},"resource":{"type":"r","id":"1"}}`;
    const read = parseStrictJson(Buffer.from(body));
    if (read.kind === 'malformed') throw new Error(read.message);
    const mapped = map(read.value);
    if (mapped.kind === 'faulty') throw new Error(mapped.message);
    expect(parseIntent(Buffer.from(mapped.text))).toMatchObject({ kind: 'intent', intent: mapped.intent });
  }
});
