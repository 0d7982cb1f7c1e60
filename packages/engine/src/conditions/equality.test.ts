import { canonicalJson, type JsonObject, type JsonValue } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { newConditionBudget } from './budget.ts';
import { compileCondition } from './condition.ts';
import { FAR_APART_COST } from './lists.ts';

/** The result of a condition on facts, and what it spent. */
function evaluated(source: string, facts: JsonObject) {
  const compiled = compileCondition(source);
  if (compiled.kind === 'invalid') throw new Error(`${source}: ${JSON.stringify(compiled.faults)}`);
  const budget = newConditionBudget();
  const { left } = budget;
  const says = compiled.condition.evaluate({ system: 'erp' }, 0, budget, () => facts);
  return { says, cost: left - budget.left };
}
const said = (source: string, facts: JsonObject) => evaluated(source, facts).says;
const cost = (source: string, facts: JsonObject) => evaluated(source, facts).cost;

const LONG = 'x'.repeat(400);
const CONTAINERS: readonly JsonValue[] = [
  [],
  {},
  [0],
  [-0],
  [1],
  [1.5],
  [1, 2],
  [2, 1],
  [1, 2, 3],
  ['1'],
  ['a'],
  [''],
  [`${LONG}a`],
  [`${LONG}b`],
  [true],
  [false],
  [null],
  [[]],
  [{}],
  [[1]],
  [{ a: 1 }],
  { a: 1 },
  { a: 2 },
  { a: '1' },
  { a: null },
  { a: true },
  { a: [] },
  { a: {} },
  { a: { b: 1 } },
  { a: { b: 2 } },
  { a: { c: 1 } },
  { b: 1 },
  { a: 1, b: 2 },
  { b: 2, a: 1 },
  { a: 1, b: 3 },
  { a: 1, c: 2 },
  { toString: 1 },
  { '0': 1 },
];

describe('lists and objects', () => {
  test('are equal exactly if their RFC 8785 forms are', () => {
    for (const a of CONTAINERS) {
      for (const b of CONTAINERS) {
        const isEqual = canonicalJson(a) === canonicalJson(b);
        const facts = { a, b };
        const pair = JSON.stringify([a, b]);
        expect(said('facts.r.a == facts.r.b', facts), pair).toBe(isEqual ? 'applies' : 'skips');
        expect(said('facts.r.a != facts.r.b', facts), pair).toBe(isEqual ? 'skips' : 'applies');
      }
    }
  });

  test('whose sizes are counted equal the same numbers in a record', () => {
    const facts = { texts: ['a', 'bc'], same: [1, 2], others: [1, 3], wrong: ['1', '2'] };
    const sizes = 'facts.r.texts.map(t, size(t))';
    expect(said(`${sizes} == facts.r.same`, facts)).toBe('applies');
    expect(said(`facts.r.same == ${sizes}`, facts)).toBe('applies');
    expect(said(`${sizes} == facts.r.others`, facts)).toBe('skips');
    expect(said(`${sizes} != facts.r.others`, facts)).toBe('applies');
  });

  test('are not sought among elements: such a list cannot be read', () => {
    const source = 'facts.r.x in facts.r.list';
    expect(said(source, { x: 'a', list: ['a', 'b'] })).toBe('applies');
    for (const list of [[{}], [[]], ['a', {}], [1]])
      expect(said(source, { x: 'a', list }), JSON.stringify(list)).toBe('unreadable');
    expect(said(source, { x: {}, list: [{}] })).toBe('unreadable');
  });

  test('are not comparable with anything else, which makes them unreadable', () => {
    for (const b of [1, 'a', true])
      for (const source of ['facts.r.a == facts.r.b', 'facts.r.b == facts.r.a', 'facts.r.a != facts.r.b'])
        expect(said(source, { a: [], b }), `${source} ${b}`).toBe('unreadable');
  });

  test('cost as much as they contain: their elements, the names of both, and their text', () => {
    const wide = (members: number) =>
      Object.fromEntries(Array.from({ length: members }, (_, index) => [`m${index}`, 1]));
    const compare = (a: JsonValue, b: JsonValue) => cost('facts.r.a == facts.r.b', { a, b });
    const nothing = compare([], []);
    expect(compare([1, 2, 3], [1, 2, 3]) - nothing).toBe(12);
    expect(compare([1, 2, 3], [1, 2]) - nothing).toBe(0);
    expect(compare(wide(100), wide(99)) - nothing).toBe(4 * 199);
    expect(compare(wide(100), wide(100)) - nothing).toBe(4 * 200 + 400);
    expect(compare(['x'.repeat(800)], ['x'.repeat(8_000)]) - nothing).toBe(4 + 100);
  });

  test('that use up the budget pause, whatever they contain', () => {
    const list = Array.from({ length: 1_000 }, (_, index) => index);
    const facts = { list, texts: [LONG.repeat(20)] };
    expect(said('facts.r.list.all(n, facts.r.list == facts.r.list)', facts)).toBe('error');
    expect(said('facts.r.list.exists(n, facts.r.list != facts.r.list)', facts)).toBe('error');
    expect(said('facts.r.list.all(n, !("a" in facts.r.texts))', facts)).toBe('error');
  });
});

describe('numbers', () => {
  const numbers = (...list: readonly number[]) => ({ numbers: [...list] });

  test('have a smallest and a largest, wherever it stands', () => {
    for (const list of [
      [1, 2, 3],
      [3, 1, 2],
      [2, 3, 1],
      [2, 1, 3],
    ]) {
      const facts = numbers(...list);
      expect(said('facts.r.numbers.min() == 1 && facts.r.numbers.max() == 3', facts), String(list)).toBe(
        'applies',
      );
    }
  });

  test('that are far apart cost more to add, and those between do not', () => {
    const plain = cost('facts.r.numbers.sum() > 0.5', numbers(1));
    const extra = (value: number) => cost('facts.r.numbers.sum() > 0.5', numbers(value)) - plain;
    for (const near of [0, 5e20, -5e20, 1e-21, 0.1]) expect(extra(near), String(near)).toBe(0);
    for (const far of [1e21, -1e21, 9e-22, -9e-22, 1e300])
      expect(extra(far), String(far)).toBe(FAR_APART_COST);
    const many = numbers(...Array.from({ length: 1_000 }, () => 1e300));
    expect(said('facts.r.numbers.sum() > 0.5', many)).toBe('error');
  });

  test('too large to add as doubles fail, and whole numbers add up', () => {
    expect(said('facts.r.numbers.sum() > 0.5', numbers(1.7e308, 1.7e308))).toBe('error');
    const facts = { texts: ['a', 'bc', ''] };
    expect(said('facts.r.texts.map(t, size(t)).sum() == 3', facts)).toBe('applies');
    expect(said('facts.r.texts.map(t, size(t)).sum() == 4', facts)).toBe('skips');
  });
});
