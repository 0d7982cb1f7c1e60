import { expect, test } from 'vitest';
import { isBeyondDoubt } from './beyond-doubt.ts';

const believed = (text: string, maxDepth = 4) =>
  isBeyondDoubt(JSON.parse(text), new TextEncoder().encode(text), text, maxDepth);

test.each([
  '{}',
  '"a"',
  '1',
  'null',
  'true',
  '{"a":"b","c":["d",{"e":1}]}',
  '[[["a"]],"b",{"c":"d"}]',
  '{"a":"b\\"c"}',
  '{"a":"\\\\","b":"\\"\\""}',
  '{"a":"x\\\\\\"y","b":[null,true,1.5]}',
  '[9007199254740991,-9007199254740991]',
  '{"a":{"b":{"c":{}}}}',
])('JSON.parse is trusted with a plain body: %s', (text) => {
  expect(believed(text)).toBe(true);
});

test.each([
  '{"a":1,"a":2}',
  '{"a":{"b":"c","b":"d"}}',
  '{"a\\u0062":1}',
  '{"x":"\\n","\\"" :1}',
  '{"a":"\\ud800"}',
  '[9007199254740992]',
  '[-9007199254740992]',
  '{"__proto__":1}',
  '{"a":{"b":{"c":{"d":{}}}}}',
  '[[[[[]]]]]',
])('a body that parsers may read differently goes to the slow reader: %s', (text) => {
  expect(believed(text)).toBe(false);
});
