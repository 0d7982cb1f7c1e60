import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { bodyOf, boundary, choice, flag, listOf, moment, name, optional, wholeNumber } from './fields.ts';

const SHAPE = bodyOf({
  kind: choice('a', 'b'),
  name,
  count: optional(wholeNumber(0, 9)),
  names: optional(listOf(name, 1, 2)),
  isOn: optional(flag),
});

test('null in an optional member counts as omitted, in a required one as missing', () => {
  expect(SHAPE.read({ kind: 'a', name: 'n', count: null })).toEqual({ value: { kind: 'a', name: 'n' } });
  expect(SHAPE.read({ kind: null, name: 'n' })).toEqual({
    faults: [{ pointer: '/kind', message: '`kind` is missing' }],
  });
});

test('all errors are listed, each with its place', () => {
  const read = SHAPE.read({ 'a/b~c': 1, name: ' x', count: 10, names: ['ok', ''], isOn: 'true' });
  expect('faults' in read && read.faults.map(({ pointer }) => pointer)).toEqual([
    '/a~1b~0c',
    '/kind',
    '/name',
    '/count',
    '/names',
    '/isOn',
  ]);
});

test('inherited members are not members', () => {
  expect('faults' in SHAPE.read(Object.create({ kind: 'a', name: 'n' }))).toBe(true);
});

test('a moment needs a day that exists and an offset', () => {
  expect(moment.read('2028-02-29T00:00:00+01:00')).toEqual({ value: Date.UTC(2028, 1, 28, 23) });
  for (const wrong of ['2027-02-29T00:00:00Z', '2027-01-01T00:00:00', '2027-01-01', 1, '']) {
    expect('fault' in moment.read(wrong)).toBe(true);
  }
});

test('both ends of a range are rounded up to whole milliseconds, as records are dated', () => {
  const ms = Date.UTC(2026, 0, 1);
  expect(boundary.read('2026-01-01T00:00:00.000Z')).toEqual({ value: ms });
  expect(boundary.read('2026-01-01T00:00:00.0000Z')).toEqual({ value: ms });
  expect(boundary.read('2026-01-01T00:00:00.0000000001Z')).toEqual({ value: ms + 1 });
  expect(boundary.read('2026-01-01T01:00:00.0019+01:00')).toEqual({ value: ms + 2 });
  expect('fault' in boundary.read('2026-01-01T00:00:00.0001')).toBe(true);
});

test('the published schema accepts what the reader accepts', () => {
  const validate = new Ajv2020({ strict: false }).compile(SHAPE.schema);
  const value = fc.oneof(
    fc.string(),
    fc.integer({ min: -2, max: 12 }),
    fc.boolean(),
    fc.constantFrom('a', 'b', 'name'),
    fc.array(fc.string(), { maxLength: 3 }),
  );
  const body = fc.record(
    { kind: value, name: value, count: value, names: value, isOn: value, other: value },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(body, (sent) => {
      if ('value' in SHAPE.read(sent)) expect(validate(sent)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
