import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readJson } from './json-reader.ts';

describe('a syntax fault is named with its place', () => {
  test.each([
    ['', 0, '', 'the body ends where a value should be'],
    ['[', 1, '/0', 'the body ends where a value should be'],
    ['[1', 2, '', 'the body ends where `,` or `]` should be'],
    ['[1,', 3, '/1', 'the body ends where a value should be'],
    ['[1,]', 3, '/1', '"]" stands where a value should be'],
    ['[1 2]', 3, '', '"2" stands where `,` or `]` should be'],
    ['[,1]', 1, '/0', '"," stands where a value should be'],
    ['{', 1, '', 'the body ends where a member name should be'],
    ['{,', 1, '', '"," stands where a member name should be'],
    ['{a', 1, '', '"a" stands where a member name should be'],
    ['{"a"', 4, '', 'the body ends where `:` should be'],
    ['{"a" 1}', 5, '', '"1" stands where `:` should be'],
    ['{"a":', 5, '/a', 'the body ends where a value should be'],
    ['{"a":1', 6, '', 'the body ends where `,` or `}` should be'],
    ['{"a":1]', 6, '', '"]" stands where `,` or `}` should be'],
    ['{"a":1,}', 7, '', '"}" stands where a member name should be'],
    ['{"a~b/c":𝔘}', 9, '/a~0b~1c', '"𝔘" stands where a value should be'],
    ['[{"a":[1,x]}]', 9, '/0/a/1', '"x" stands where a value should be'],
    ['"abc', 0, '', 'the string that begins here has no end'],
    ['["a","b]', 5, '/1', 'the string that begins here has no end'],
    ['"a\\', 2, '', 'a backslash begins no known escape'],
    ['"a\\x"', 2, '', 'a backslash begins no known escape'],
    ['"\\u12g4"', 1, '', 'a backslash begins no known escape'],
    ['"\\u123"', 1, '', 'a backslash begins no known escape'],
    ['"a\tb"', 2, '', 'a control character stands in a string without being escaped'],
    ['"\u001f"', 1, '', 'a control character stands in a string without being escaped'],
    ['{"a\\x":1}', 3, '', 'a backslash begins no known escape'],
    ['{"a', 1, '', 'the string that begins here has no end'],
    ['01', 1, '', '"1" stands where the end of the body should be'],
    ['-', 0, '', '"-" stands where a value should be'],
    ['+1', 0, '', '"+" stands where a value should be'],
    ['1.', 1, '', '"." stands where the end of the body should be'],
    ['1e', 1, '', '"e" stands where the end of the body should be'],
    ['tru', 0, '', '"t" stands where a value should be'],
    ['nullx', 4, '', '"x" stands where the end of the body should be'],
    ['\u00a01', 0, '', '"\u00a0" stands where a value should be'],
    [' 1 , ', 3, '', '"," stands where the end of the body should be'],
    ['{"a":"\\ud800', 5, '/a', 'the string that begins here has no end'],
    ['[ {"a":1 , "b":2 , "a":3} ]', 19, '/0', 'the member `a` is there twice'],
    ['["\\ud800"', 1, '/0', 'the string that begins here holds a lone surrogate'],
  ])('%j at %i', (text, offset, pointer, message) => {
    expect(readJson(text, 32)).toEqual({ kind: 'fault', offset, pointer, message });
  });
});

describe('strict JSON has no fault', () => {
  test.each([
    '{}',
    '[]',
    ' { } ',
    ' [ ] ',
    '\n[\t1\r,\n2 ]',
    '{ "a" : [ true , false , null ] , "b" : { } }',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uABCD\\u0000"',
    '" \u007f\u2028"',
    '[0,-0,10,1.05,-1.5E+10,1e-7,2E5,0.0]',
    '[9007199254740991,-9007199254740991]',
  ])('%j', (text) => {
    expect(readJson(text, 32)).toEqual({ kind: 'json', value: JSON.parse(text) });
  });

  test('depth counts containers, the outermost too', () => {
    expect(readJson('1', 0)).toEqual({ kind: 'json', value: 1 });
    expect(readJson('[]', 1)).toEqual({ kind: 'json', value: [] });
    expect(readJson('[{"a":1}]', 2)).toEqual({ kind: 'json', value: [{ a: 1 }] });
    expect(readJson('[]', 0)).toEqual({
      kind: 'fault',
      offset: 0,
      pointer: '',
      message: 'the body is nested deeper than 0 levels',
    });
    expect(readJson('[1,{}]', 1)).toEqual({
      kind: 'fault',
      offset: 3,
      pointer: '/1',
      message: 'the body is nested deeper than 1 levels',
    });
  });

  test('nothing that JSON.parse accepts has a syntax fault, and nothing it refuses is faultless', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 3 }),
        fc.nat(),
        fc.constantFrom('', ' ', '"', '\\', '}', ',', '1'),
        (text, at, other) => {
          const place = at % text.length;
          const changed = text.slice(0, place) + other + text.slice(place + 1);
          let isJson = true;
          try {
            JSON.parse(changed);
          } catch {
            isJson = false;
          }
          if (!isJson) expect(readJson(changed, 32).kind).toBe('fault');
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
