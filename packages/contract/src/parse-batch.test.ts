import { describe, expect, test } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { parseBatch } from './parse-batch.ts';
import { parseIntent } from './parse-intent.ts';

const utf8 = new TextEncoder();
const parse = (value: unknown) => parseBatch(utf8.encode(JSON.stringify(value)));
const ACTION = { system: 'pay', operation: 'refund.create' };
const attested = (count: number) => ({
  ...ACTION,
  controlEvidence: Array.from({ length: count }, () => ({
    controlId: 'a',
    source: 's',
    result: 'PASS',
    attestation: 'a.b.c',
  })),
});

describe('a batch', () => {
  test('refuses a misspelt member and ignores a foreign one', () => {
    for (const name of ['Checks', 'CHECKS', 'che_cks']) {
      for (const body of [{ [name]: [ACTION] }, { checks: [ACTION], [name]: [] }]) {
        expect(parse(body)).toMatchObject({
          kind: 'refused',
          code: 'unknown_member',
          details: [{ pointer: `/${name}`, message: expect.stringContaining('did you mean `checks`') }],
        });
      }
    }
    expect(parse({ checks: [ACTION], check: 1, other: [] }).kind).toBe('batch');
  });

  test('parses each check as if it were alone, with its bytes as sent', () => {
    const elements = [
      '{"system":"pay", "operation":"a.b"}',
      '{"syst\\u0065m":"pay","operation":"a.b","extra":"],["}',
      '{"system":5}',
      '[]',
      '"é"',
      `{"system":"pay","operation":"a.b","metadata":{"a":"${'x'.repeat(16_377)}"}}`,
    ];
    const batch = parseBatch(utf8.encode(` { "checks" : [ ${elements.join(' ,\n')} ] , "other":1} `));
    if (batch.kind !== 'batch') throw new Error(batch.message);
    expect(batch.checks.map(({ bytes }) => new TextDecoder().decode(bytes))).toEqual(elements);
    expect(batch.checks.map(({ parsed }) => parsed)).toEqual(
      elements.map((text) => parseIntent(utf8.encode(text))),
    );
  });

  test('holds 1 to 50 checks', () => {
    expect(parse({ checks: Array(50).fill(ACTION) }).kind).toBe('batch');
    expect(parse({ checks: [ACTION] }).kind).toBe('batch');
    for (const count of [0, 51]) {
      const message = `\`checks\` has ${count} elements, 1 to 50 are allowed`;
      expect(parse({ checks: Array(count).fill(ACTION) })).toEqual({
        kind: 'refused',
        code: 'invalid_request',
        message,
        details: [{ pointer: '/checks', message }],
      });
    }
  });

  test('holds 64 attestations in total', () => {
    const others = [
      null,
      5,
      { controlEvidence: 'x' },
      { controlEvidence: [null, 1, { attestation: null }, {}] },
    ];
    expect(parse({ checks: [...Array(4).fill(attested(16)), ...others] }).kind).toBe('batch');
    const message = '`checks` has 65 attestations in total, at most 64 are allowed';
    expect(parse({ checks: [...Array(4).fill(attested(16)), attested(1)] })).toEqual({
      kind: 'refused',
      code: 'invalid_request',
      message,
      details: [{ pointer: '/checks', message }],
    });
    expect(parse({ checks: Array(51).fill(attested(2)) })).toMatchObject({ details: [{}, {}] });
  });

  test.each([
    [[], '', 'the body must be an object, not an array'],
    [null, '', 'the body must be an object, not null'],
    [{}, '/checks', '`checks` is required'],
    [{ checks: null }, '/checks', '`checks` is required'],
    [{ checks: {} }, '/checks', '`checks` must be an array, not an object'],
  ])('%j is refused as a whole', (value, pointer, message) => {
    expect(parse(value)).toEqual({
      kind: 'refused',
      code: 'invalid_request',
      message,
      details: [{ pointer, message }],
    });
  });

  test('that is not strict JSON is refused as a whole', () => {
    expect(parseBatch(utf8.encode('{"checks":[{"a":1,"a":1}]}'))).toEqual({
      kind: 'refused',
      code: 'malformed_json',
      message: 'the member `a` appears twice (line 1, column 19, byte 18)',
      details: [
        { pointer: '/checks/0', message: 'the member `a` appears twice (line 1, column 19, byte 18)' },
      ],
    });
  });

  test('accepts each check as deep as a single request', () => {
    const deep = (depth: number) =>
      `{"system":"p","operation":"o","metadata":${'{"a":'.repeat(depth - 2)}{}${'}'.repeat(depth - 2)}}`;
    expect(parseIntent(utf8.encode(deep(32))).kind).toBe('intent');
    expect(parseBatch(utf8.encode(`{"checks":[${deep(32)}]}`)).kind).toBe('batch');
    expect(parseBatch(utf8.encode(`{"checks":[${deep(33)}]}`)).kind).toBe('refused');
  });

  test('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => utf8.encode(`{"checks":[${text}]}`)),
        ),
        (bytes) => {
          expect(['batch', 'refused']).toContain(parseBatch(bytes).kind);
        },
      ),
    );
  });
});
