import { expect, test } from 'vitest';
import { amountOf, sumsOf } from './said-in-intent.ts';
import { titleOf } from './write-title.tsx';

const of = (amount: unknown, currency?: string) => ({ metadata: { context: { amount, currency } } });

test('an amount is shown as money, with every digit that was sent', () => {
  expect(amountOf(of(148_250, 'EUR'))).toBe('148,250.00 EUR');
  expect(amountOf(of(1_173.4, 'USD'))).toBe('1,173.40 USD');
  expect(amountOf(of(0.123456, 'EUR'))).toBe('0.123456 EUR');
  expect(amountOf(of(5_000, 'JPY'))).toBe('5,000 JPY');
  expect(amountOf(of(7))).toBe('7');
  expect(amountOf(of('7', 'EUR'))).toBe('7 EUR');
});

test('a total has one sum for each currency and counts what has no amount', () => {
  const intents = [of(0.1, 'EUR'), of(0.2, 'EUR'), of(5, 'USD'), of('9', 'EUR'), {}];
  expect(sumsOf(intents)).toEqual({ sums: ['5.00 USD', '0.30 EUR'], without: 2 });
});

test('a title says what people call a field or an operation', () => {
  const vendor = { objectType: 'vendor', objectRef: 'V-1' };
  expect(titleOf({ ...vendor, field: 'iban' })).toBe('Change the IBAN of vendor V-1');
  expect(titleOf({ ...vendor, field: 'shoe_size' })).toBe('Change the shoe size of vendor V-1');
  expect(titleOf({ ...vendor, field: 'jobTitle' })).toBe('Change the job title of vendor V-1');
  // What is not plain words stays as it is, so that nothing hides in it.
  for (const field of ['ibаn', 'IBAN', 'a__b', 'a.b', 'x1'])
    expect(titleOf({ ...vendor, field })).toBe(`Change ${field} of vendor V-1`);
  expect(titleOf({ ...vendor, operation: 'vendor.delete' })).toBe('Delete vendor on vendor V-1');
  const refund = { objectType: 'payment', objectRef: 'PAY-7', operation: 'refund.create' };
  expect(titleOf({ ...refund, ...of(1_173.4, 'USD') })).toBe('Refund 1,173.40 USD on payment PAY-7');
  expect(titleOf({ operation: 'Rеfund' })).toBe('Rеfund');
});
