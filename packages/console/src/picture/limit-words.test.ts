import { expect, test } from 'vitest';
import { groupOf } from './limit-group.ts';
import {
  amountWords,
  groupWords,
  ordinal,
  overBy,
  rateWords,
  shareOf,
  windowWords,
  withUnit,
} from './limit-words.ts';

const PER_CUSTOMER = {
  by: ['intent.metadata.context.customer', 'facts.order.currency', 'key'],
  sum: 'facts.order.amount',
};

test('a currency among the values is the unit, and the rest says for whom', () => {
  expect(groupWords(PER_CUSTOMER, ['C-1001', 'EUR', 'refund-bot'])).toEqual({
    unit: 'EUR',
    parts: [
      { name: 'customer', text: 'C-1001' },
      { name: null, text: 'refund-bot' },
    ],
  });
  // What only looks like a currency by its name does not become one.
  expect(groupWords(PER_CUSTOMER, ['C-1001', 'free money', null]).unit).toBeNull();
  expect(groupWords({ by: ['key'] }, ['bot'])).toEqual({
    unit: 'writes',
    parts: [{ name: null, text: 'bot' }],
  });
});

test('amounts keep every digit, and money has its decimals', () => {
  expect(amountWords('1234567.5', 'EUR')).toBe('1,234,567.50');
  expect(amountWords('1234567890123456789.000001', null)).toBe('1,234,567,890,123,456,789.000001');
  expect(amountWords('500', 'JPY')).toBe('500');
  expect(withUnit('1', 'writes')).toBe('1 write');
  expect(withUnit('480', 'EUR')).toBe('480.00 EUR');
});

test('a window is named as people name it', () => {
  expect([windowWords('day'), windowWords('90m'), rateWords('month'), rateWords('1h')]).toEqual([
    'today (UTC)',
    'in the last 1 h 30 min',
    'a month',
    'in any hour',
  ]);
  expect(['1', '2', '3', '6', '11', '22', '113'].map(ordinal)).toEqual([
    '1st',
    '2nd',
    '3rd',
    '6th',
    '11th',
    '22nd',
    '113th',
  ]);
});

test('what goes past a limit is counted exactly, and nothing that cannot be read is', () => {
  const state = {
    id: 'refunds',
    version: null,
    max: '500',
    drawn: '480.1',
    draw: '120.2',
    remaining: '19.9',
    per: 'day',
    resetsAt: null,
    beyond: true,
    observed: false,
  };
  expect(overBy(state)).toBe('100.3');
  expect(overBy({ ...state, draw: null })).toBeNull();
  expect(overBy({ ...state, beyond: false })).toBeNull();
  expect([shareOf('250', '500'), shareOf('600', '500'), shareOf('0', '0'), shareOf('1', '0')]).toEqual([
    0.5, 1, 0, 1,
  ]);
});

test('a group is looked up in the write and in facts, and only in their own members', () => {
  const looked = {
    intent: { metadata: { context: { customer: 1001 } } },
    keyName: 'refund-bot',
    factsOf: (id: string) => (id === 'order' ? { currency: 'EUR' } : null),
  };
  expect(groupOf(PER_CUSTOMER, looked)).toEqual(['1001', 'EUR', 'refund-bot']);
  expect(groupOf({ by: ['intent.constructor.name', 'facts.other.currency'] }, looked)).toEqual([null, null]);
});
