import { describe, expect, test } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { readJson } from './json-reader.ts';

describe('a syntax error is reported with its place', () => {
  test.each([
    ['', 0, '', 'expected a value but the body ends'],
    ['[', 1, '/0', 'expected a value but the body ends'],
    ['[1', 2, '', 'expected `,` or `]` but the body ends'],
    ['[1,', 3, '/1', 'expected a value but the body ends'],
    ['[1,]', 3, '/1', 'expected a value but found "]"'],
    ['[1 2]', 3, '', 'expected `,` or `]` but found "2"'],
    ['[,1]', 1, '/0', 'expected a value but found ","'],
    ['{', 1, '', 'expected a member name but the body ends'],
    ['{,', 1, '', 'expected a member name but found ","'],
    ['{a', 1, '', 'expected a member name but found "a"'],
    ['{"a"', 4, '', 'expected `:` but the body ends'],
    ['{"a" 1}', 5, '', 'expected `:` but found "1"'],
    ['{"a":', 5, '/a', 'expected a value but the body ends'],
    ['{"a":1', 6, '', 'expected `,` or `}` but the body ends'],
    ['{"a":1]', 6, '', 'expected `,` or `}` but found "]"'],
    ['{"a":1,}', 7, '', 'expected a member name but found "}"'],
    ['{"a~b/c":𝔘}', 9, '/a~0b~1c', 'expected a value but found "𝔘"'],
    ['[{"a":[1,x]}]', 9, '/0/a/1', 'expected a value but found "x"'],
    ['"abc', 0, '', 'the string that starts here is not closed'],
    ['["a","b]', 5, '/1', 'the string that starts here is not closed'],
    ['"a\\', 2, '', 'invalid escape after a backslash'],
    ['"a\\x"', 2, '', 'invalid escape after a backslash'],
    ['"\\u12g4"', 1, '', 'invalid escape after a backslash'],
    ['"\\u123"', 1, '', 'invalid escape after a backslash'],
    ['"a\tb"', 2, '', 'a control character in a string must be escaped'],
    ['"\u001f"', 1, '', 'a control character in a string must be escaped'],
    ['{"a\\x":1}', 3, '', 'invalid escape after a backslash'],
    ['{"a', 1, '', 'the string that starts here is not closed'],
    ['01', 1, '', 'expected the end of the body but found "1"'],
    ['-', 0, '', 'expected a value but found "-"'],
    ['+1', 0, '', 'expected a value but found "+"'],
    ['1.', 1, '', 'expected the end of the body but found "."'],
    ['1e', 1, '', 'expected the end of the body but found "e"'],
    ['tru', 0, '', 'expected a value but found "t"'],
    ['nullx', 4, '', 'expected the end of the body but found "x"'],
    ['\u00a01', 0, '', 'expected a value but found "\u00a0"'],
    [' 1 , ', 3, '', 'expected the end of the body but found ","'],
    ['{"a":"\\ud800', 5, '/a', 'the string that starts here is not closed'],
    ['[ {"a":1 , "b":2 , "a":3} ]', 19, '/0', 'the member `a` appears twice'],
    ['["\\ud800"', 1, '/0', 'the string that starts here contains a lone surrogate'],
  ])('%j at %i', (text, offset, pointer, message) => {
    expect(readJson(text, 32)).toEqual({ kind: 'fault', offset, pointer, message });
  });
});

describe('strict JSON has no error', () => {
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

  test('depth counts containers, including the outermost', () => {
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

  test('the reader and JSON.parse agree on what is valid syntax', () => {
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
