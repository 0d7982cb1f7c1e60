import canonicalize from 'canonicalize';
import { describe, expect, test } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { canonicalJson } from './canonical-json.ts';

describe('RFC 8785', () => {
  test.each([
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [
      { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, ö: 7 },
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"\u{1f600}":5,"\ufb33":3}',
    ],
    [
      [333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0, 1e21],
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21]',
    ],
    ['\u20ac$\u000f\nA\'B"\\"/\u2028', '"€$\\u000f\\nA\'B\\"\\\\\\"/\u2028"'],
    [{ toJSON: 'x', constructor: [] }, '{"constructor":[],"toJSON":"x"}'],
    [[null, true, false, '', {}, []], '[null,true,false,"",{},[]]'],
  ])('%#', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test('a value that is not JSON has no canonical form', () => {
    for (const value of [
      '\ud800',
      { '\udc00': 1 },
      Number.NaN,
      Number.POSITIVE_INFINITY,
      undefined,
      () => 1,
    ]) {
      expect(() => canonicalJson(value)).toThrow();
    }
    expect(() => canonicalJson(undefined)).toThrow('only a JSON value has a canonical form');
  });

  test('matches the reference implementation, for deep and unusual values too', () => {
    const deep = (levels: number): unknown => (levels === 0 ? { b: 1, a: [] } : [deep(levels - 1)]);
    const odd = [
      deep(39),
      deep(40),
      deep(45),
      deep(200),
      { a: undefined, b: 1 },
      { '10': 1, '9': 2, a: 3, '': 4, $: 5 },
      { a: { '10': 1, '9': 2 } },
      [{ b: 1, a: [{ d: 1, c: 2 }] }],
      JSON.parse('{"b":1,"__proto__":{"y":1,"x":2}}'),
      Object.create({ x: 1 }),
      new Date(0),
    ];
    for (const value of odd) expect(canonicalJson(value)).toBe(canonicalize(value));
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      { numRuns: 1_000 },
    );
  });

  test('only sorts the names, and does not depend on their order', () => {
    const sorted = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(sorted);
      if (typeof value !== 'object' || value === null) return value;
      return new Map(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, inner]) => [name, sorted(inner)]),
      );
    };
    const text = (value: unknown): string => {
      if (value instanceof Map)
        return `{${[...value].map(([name, inner]) => `${JSON.stringify(name)}:${text(inner)}`).join(',')}}`;
      if (Array.isArray(value)) return `[${value.map(text).join(',')}]`;
      return JSON.stringify(value);
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(canonicalJson(value)).toBe(text(sorted(value)));
      }),
      { numRuns: 1_000 },
    );
  });
});
