import type { JsonObject, JsonValue, WriteIntent } from '@writecheck/contract';
import { describe, expect, test } from 'vitest';
import { CONDITION_BUDGET } from './budget.ts';
import { compileCondition } from './condition.ts';

const NOW = Date.UTC(2026, 10, 15, 12);
const INTENT: WriteIntent = {
  system: 'erp',
  metadata: { tags: ['a', 'b'], numbers: [1, 2, 3], po: 'PO-1', same: { b: [1], a: 'x' } },
};
const ORDER: JsonObject = {
  total: 12.5,
  currency: 'EUR',
  nothing: null,
  lines: [
    { amount: 0.1, po: 'PO-1', tags: ['x', 'y'], kind: 'goods' },
    { amount: 0.2, tags: ['x'], kind: 'goods' },
    { amount: 0.3, po: 'PO-2', tags: [], kind: 'freight' },
  ],
  empty: [],
  mixed: [1, 'a'],
  holes: [1, null],
  numbers: [3, 1, 2],
  words: ['a', 'b'],
  deep: { a: { b: 1 }, list: [[1, 2], [3]] },
  same: { a: 'x', b: [1] },
  at: '2026-11-15T11:00:00Z',
};

function evaluate(source: string, order: JsonValue | null = ORDER, intent = INTENT) {
  const compiled = compileCondition(source, new Set(['order', 'other']));
  if (compiled.kind === 'invalid') throw new Error(`${source}: ${JSON.stringify(compiled.faults)}`);
  return compiled.condition.evaluate(intent, NOW, undefined, (id) =>
    id === 'order' ? (order as JsonObject | null) : null,
  );
}

describe('facts and lists', () => {
  test.each<[string, boolean]>([
    ['facts.order.total > 12', true],
    ['facts.order["currency"] == "EUR"', true],
    ['facts.order.lines.all(l, l.amount > 0)', true],
    ['facts.order.lines.all(l, l.kind == "goods")', false],
    ['facts.order.lines.exists(l, l.kind == "freight")', true],
    ['facts.order.lines.exists(l, l.amount > 1)', false],
    ['facts.order.empty.all(l, false)', true],
    ['facts.order.empty.exists(l, true)', false],
    ['size(facts.order.lines) == 3', true],
    ['facts.order.lines.size() == 3', true],
    ['size(facts.order.same) == 2', true],
    ['size(intent.metadata.same) == 2', true],
    ['size(facts.order.lines.filter(l, l.kind == "goods")) == 2', true],
    ['facts.order.lines.filter(l, l.kind == "goods").all(g, g.amount < 0.3)', true],
    ['facts.order.lines.map(l, l.amount).sum() == 0.6', true],
    ['0.1 + 0.2 + 0.3 == 0.6', false],
    ['facts.order.lines.filter(l, l.kind == "goods").map(l, l.amount).sum() == 0.3', true],
    ['facts.order.empty.sum() == 0', true],
    ['facts.order.numbers.min() == 1 && facts.order.numbers.max() == 3', true],
    ['facts.order.lines.map(l, size(l.tags)).sum() == 3', true],
    ['facts.order.lines.map(l, size(l.tags)).max() == 2', true],
    ['facts.order.lines.map(l, size(l.tags)) == facts.order.numbers', false],
    ['"a" in facts.order.words', true],
    ['"c" in facts.order.words', false],
    ['2 in facts.order.numbers', true],
    ['2.5 in facts.order.numbers', false],
    ['intent.metadata.po in facts.order.words', false],
    ['facts.order.currency in intent.metadata.tags', false],
    ['facts.order.lines.exists(l, "y" in l.tags)', true],
    ['facts.order.lines.exists(l, l.tags.exists(t, t == "y"))', true],
    ['facts.order.lines.all(l, l.tags.all(t, t == "x" || t == facts.order.lines[0].tags[1]))', true],
    ['facts.order.lines[0].amount == 0.1', true],
    ['facts.order.deep.list[0][1] == 2', true],
    ['facts.order.lines.filter(l, l.kind == "freight")[0].amount == 0.3', true],
    ['facts.order.words == intent.metadata.tags', true],
    ['facts.order.numbers == intent.metadata.numbers', false],
    ['facts.order.numbers != intent.metadata.numbers', true],
    ['facts.order.same == intent.metadata.same', true],
    ['facts.order.same == facts.order.words', false],
    ['facts.order.same != facts.order.words', true],
    ['facts.order.lines.map(l, l.kind) == facts.order.words', false],
    ['timestamp(facts.order.at) > now - duration("24h")', true],
    ['facts.order.lines.map(l, timestamp(facts.order.at)).all(t, t < now)', true],
    ['intent.metadata.numbers.all(n, n > 0)', true],
  ])('%s', (source, holds) => {
    expect(evaluate(source)).toBe(holds ? 'applies' : 'skips');
  });
});

describe('an unreadable value makes the whole condition unreadable, whatever its neighbours', () => {
  test.each([
    'facts.order.missing == 1',
    'facts.order.nothing == 1',
    'facts.other.total == 1',
    'true || facts.other.total == 1',
    'has(facts.other.total)',
    'true || facts.order.lines.all(l, l.po == "PO-1")',
    'facts.order.lines.exists(l, l.po == "PO-1")',
    'facts.order.lines.filter(l, l.po == "PO-1").exists(l, true)',
    'facts.order.total == "12.5"',
    'facts.order.total.all(x, x == 1)',
    'facts.order.same.all(x, x == 1)',
    'facts.order.lines.amount == 1',
    'facts.order.mixed.sum() == 1',
    'facts.order.mixed.all(x, x == 1)',
    '1 in facts.order.mixed',
    '1 in facts.order.holes',
    'facts.order.holes.sum() == 1',
    'facts.order.holes.all(x, x > 0)',
    'facts.order.empty.min() == 1',
    'facts.order.empty.max() == 1 || true',
    'facts.order.lines[3].amount == 1',
    'facts.order.lines[0].po == 1',
    'facts.order.total == facts.order.currency',
    'facts.order.lines.exists(l, l.amount == l.kind)',
    'facts.order.words == facts.order.currency',
    'has(facts.order.total.deeper)',
    'has(facts.order.lines[9].po)',
    'has(facts.order.po) && facts.order.total == "x"',
    'facts.order.po == "x" && has(facts.order.po)',
    'has(facts.order.po) || facts.order.po == "x"',
    '!has(facts.order.po) && facts.order.po == "x"',
    'has(facts.order.same) && facts.order.same.c == 1',
  ])('%s', (source) => {
    expect(evaluate(source)).toBe('unreadable');
  });

  test('a list of over 1,000 elements', () => {
    const list = (length: number) => ({ list: Array.from({ length }, () => 1) });
    for (const use of ['.sum() == 1000', '.all(x, x == 1)', '[0] == 1', '.size() == 1000']) {
      expect(evaluate(`facts.order.list${use}`, list(1_000)), use).toBe('applies');
      expect(evaluate(`facts.order.list${use}`, list(1_001)), use).toBe('unreadable');
    }
    expect(evaluate('1 in facts.order.list', list(1_001))).toBe('unreadable');
  });
});

describe('has', () => {
  test.each<[string, boolean]>([
    ['has(facts.order.total)', true],
    ['has(facts.order.missing)', false],
    ['has(facts.order.nothing)', false],
    ['has(facts.order.missing.deeper)', false],
    ['has(facts.order.nothing.deeper)', false],
    ['has(facts.order.lines[0].po)', true],
    ['has(facts.order.po) && facts.order.po == "x"', false],
    ['has(facts.order.po) && facts.order.po.number == 1', false],
    ['!has(facts.order.po) || facts.order.po == "x"', true],
    ['!has(facts.order.po) || !(facts.order.po == "x")', true],
    ['has(facts.order.total) && facts.order.total > 12', true],
    ['!has(facts.order.total) || facts.order.total > 13', false],
    ['has(facts.order.po) && (facts.order.total > 1 || facts.order.po == "x")', false],
    ['has(facts.order.po) && timestamp(facts.order.po) < now', false],
    ['has(facts.order.po) && facts.order.po', false],
    ['facts.order.lines.exists(l, has(l.po) && l.po == "PO-2")', true],
    ['facts.order.lines.all(l, !has(l.po) || l.po.startsWith("PO-"))', true],
    ['facts.order.lines.filter(l, has(l.po) && l.po == "PO-1").map(l, l.amount).sum() == 0.1', true],
    ['has(facts.order.po) && facts.order.lines.all(l, l.kind == facts.order.po)', false],
    [
      'has(facts.order.po) && facts.order.lines.filter(l, l.kind == facts.order.po).map(l, l.amount).min() > 0',
      false,
    ],
    ['has(facts.order.same) && has(facts.order.same.c) && facts.order.same.c == 1', false],
  ])('%s', (source, holds) => {
    expect(evaluate(source)).toBe(holds ? 'applies' : 'skips');
  });
});

describe('an expression that can never be typed is refused at its place', () => {
  test.each<[string, number, RegExp]>([
    ['facts == 1', 1, /`facts` needs a control and a path/],
    ['facts.order == 1', 1, /`facts` needs a control and a path/],
    ['size(facts.order) == 1', 6, /needs a control and a path/],
    ['facts[0].x == 1', 1, /`facts` is not a list/],
    ['facts.wrong.x == 1', 1, /no control `wrong` with `facts: true` in the bundle/],
    ['has(facts.wrong.x)', 5, /no control `wrong`/],
    ['facts.order.x == 1 && facts.order.x == "a"', 37, /cannot compare a double with a string/],
    ['facts.order.x == 1 && facts.order.x.all(l, true)', 23, /`all` needs a list, found a double/],
    ['facts.order.l.all(l, l.x == 1) && facts.order.l.all(l, l.x == "a")', 60, /cannot compare/],
    ['facts.order.l.all(l, l.x == 1) && facts.order.l == "a"', 49, /a list with a string/],
    ['facts.order.l.all(l, l == 1) && facts.order.l.x == 1', 33, /is a list/],
    ['facts.order.l.all(intent, true)', 19, /already has a meaning/],
    ['facts.order.l.all(facts, true)', 19, /already has a meaning/],
    ['facts.order.l.all(now, true)', 19, /already has a meaning/],
    ['facts.order.l.all(l, l.m.all(l, true))', 30, /already has a meaning/],
    ['facts.order.l.all(a, a.l.all(b, b.l.all(c, true)))', 37, /nested 2 deep/],
    ['facts.order.l.all(true, true)', 19, /first takes a name/],
    ['facts.order.l.all(a, b, true)', 22, /not `b`/],
    ['facts.order.l.map(a, a, a) == facts.order.l', 23, /unexpected `,`/],
    ['facts.order.l.exists_one(a, true)', 15, /no `exists_one`/],
    ['facts.order.l.all(a, a.x + 1)', 26, /cannot take/],
    ['facts.order.l.all(a, size(a))', 22, /`all` needs a condition, found an integer/],
    ['facts.order.l.map(a, a == "x").sum() == 1', 15, /needs a list of numbers/],
    ['facts.order.l.sum(1) == 1', 15, /nothing in its brackets/],
    ['sum(facts.order.l) == 1', 1, /written after its list/],
    ['"a" in facts.order.l.filter(x, true)', 22, /a path to a list/],
    ['facts.order.l[-1] == 1', 14, /by its index/],
    ['facts.order.l[0.5] == 1', 14, /by its index/],
    ['has(intent.metadata.x)', 1, /no `has` for a member of `intent`/],
    ['has(facts.order)', 5, /needs a control/],
    ['has(facts.order.l[0])', 1, /ends with a member/],
    ['facts.order.l.all(x, has(x))', 22, /ends with a member/],
    ['has("a")', 1, /takes one path/],
    ['facts.order.l < facts.order.m && facts.order.l.all(x, true)', 34, /needs a list/],
    ['facts.order.x ? true : false', 15, /no ternaries/],
  ])('%s', (source, column, message) => {
    const compiled = compileCondition(source, new Set(['order']));
    expect(compiled.kind === 'invalid' ? compiled.faults[0] : null).toEqual({
      line: 1,
      column,
      message: expect.stringMatching(message),
    });
  });
});

describe('the budget', () => {
  const long = { list: Array.from({ length: 1_000 }, (_, index) => index) };

  test('counts every element that a macro looks at', () => {
    const spent = (length: number) => {
      const compiled = compileCondition('facts.order.list.all(x, x >= 0)');
      if (compiled.kind === 'invalid') throw new Error('refused');
      const budget = { left: CONDITION_BUDGET };
      const order = { list: long.list.slice(0, length) };
      compiled.condition.evaluate(INTENT, NOW, budget, () => order);
      return CONDITION_BUDGET - budget.left;
    };
    expect(spent(1_000) - spent(0)).toBe(1_000 * 3 * 16);
  });

  test('that two nested macros use up is an error, not a slow response', () => {
    expect(evaluate('facts.order.list.all(x, facts.order.list.all(y, x == y))', long)).toBe('error');
    expect(evaluate('facts.order.list.exists(x, facts.order.list.sum() > 1)', long)).toBe('error');
    expect(evaluate('facts.order.list.all(x, facts.order.list == facts.order.list)', long)).toBe('error');
  });
});
