import { expect, it } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { hasDuplicateMembers } from './duplicate-members.ts';

it.each([
  '{"a":1,"a":2}',
  '{"a":1,"b":2,"a":3}',
  '{"a" : 1, "a"\n:\t2}',
  '{"a":{"b":1,"b":2}}',
  '[1,{"a":[{"b":1},{"b":1,"b":1}]}]',
  '{"a":1,"\\u0061":2}',
  '{"\\"":1,"\\u0022":2}',
  '{"":1,"":2}',
  '{"a":[1],"a":{}}',
  '{"x":{},"a":1,"y":[[]],"a":2}',
  '{"__proto__":1,"__proto__":2}',
])('finds the duplicate in %s', (json) => {
  expect(JSON.parse(json)).toBeDefined();
  expect(hasDuplicateMembers(json)).toBe(true);
});

it.each([
  '{}',
  '{"a":1,"b":2}',
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":1}]',
  '{"a":"a","b":"a"}',
  '["a","a"]',
  '{"a":"{\\"b\\":1,\\"b\\":2}"}',
  '{"a":"\\"b\\":","b":"\\\\"}',
  '{"a":[{"b":1}],"b":[{"a":1}]}',
  '{"a":{"b":1},"b":1}',
  '{"a":"]","b":"}","c":"["}',
  '{"a":1,"A":2}',
])('finds none in %s', (json) => {
  expect(JSON.parse(json)).toBeDefined();
  expect(hasDuplicateMembers(json)).toBe(false);
});

it('finds none in any JSON from JSON.stringify, and one if a member is repeated', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (object) => {
      const json = JSON.stringify(object);
      expect(hasDuplicateMembers(json)).toBe(false);
      const [name] = Object.keys(object) as [string];
      expect(hasDuplicateMembers(`{${JSON.stringify(name)}:0,${json.slice(1)}`)).toBe(true);
      expect(hasDuplicateMembers(`[{"outer":{${JSON.stringify(name)}:0,${json.slice(1)}}]`)).toBe(true);
    }),
  );
});

it('handles a deep response without overflowing the stack', () => {
  // Too deep to be a decision, it counts as having duplicates.
  expect(hasDuplicateMembers(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toBe(true);
});
