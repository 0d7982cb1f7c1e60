import type { EvidenceItem, FactsReading } from '@writecheck/contract';
import type { PolicyDocument } from '@writecheck/engine';
import { expect, test } from 'vitest';
import { columnsOf, nameInWords, readersOf, readsOf, rowsOf, valuesOf } from './record-facts.ts';

const USED: FactsReading = { controlId: 'order', status: 'used', source: 'shop' };

function signed(facts: unknown, source = 'shop'): EvidenceItem {
  const claim = Buffer.from(JSON.stringify({ facts })).toString('base64url');
  return { controlId: 'order', source, result: 'PASS', attestation: `e30.${claim}.AAAA` };
}

test('the values of a used item are shown, and none if another item of the source says something else', () => {
  const good = signed({ customer: 'C-1' });
  expect(valuesOf(USED, [good])).toEqual({ customer: 'C-1' });
  expect(valuesOf(USED, [good, signed({ customer: 'C-1' })])).toEqual({ customer: 'C-1' });
  expect(valuesOf(USED, [signed({ customer: 'C-9' }), good])).toBeNull();
  expect(valuesOf(USED, [good, signed({ customer: 'C-9' }, 'elsewhere')])).toEqual({ customer: 'C-1' });
});

test('no value is shown of facts that the decision did not use', () => {
  for (const status of ['missing', 'stale', 'untrusted', 'revoked'] as const)
    expect(valuesOf({ ...USED, status }, [signed({ customer: 'C-1' })])).toBeNull();
  expect(valuesOf(USED, [signed(['a list']), signed('text')])).toBeNull();
});

test('a rule reads what its condition names, if it is for this write', () => {
  const documents = [
    { kind: 'Profile', id: 'a', match: { system: 'pay' }, when: 'facts.order.lines.all(l, l.price < 5.0)' },
    { kind: 'Profile', id: 'b', match: { system: 'crm' }, when: 'facts.order.customer == "C-1"' },
    {
      kind: 'Limit',
      id: 'c',
      by: ['facts.order.customer', 'key'],
      sum: 'facts.order.total',
      max: 1,
      per: 'day',
    },
  ] as unknown as readonly PolicyDocument[];
  const reads = readsOf(documents, { system: 'pay' });
  expect(readersOf(reads, 'facts.order.lines')).toEqual(['a']);
  expect(readersOf(reads, 'facts.order.customer')).toEqual(['c']);
  expect(readersOf(reads, 'facts.order.total')).toEqual(['c']);
  // A longer name is another member.
  expect(readersOf(reads, 'facts.order.totalTax')).toEqual([]);
});

test('objects are opened, flat lists are tables, and anything else is one value', () => {
  expect(rowsOf({ to: { city: 'Dublin' }, none: {}, total: 5, currency: 'EUR' })).toEqual([
    { names: ['to', 'city'], value: 'Dublin', currency: null },
    { names: ['none'], value: {}, currency: null },
    { names: ['total'], value: 5, currency: 'EUR' },
    { names: ['currency'], value: 'EUR', currency: null },
  ]);
  expect(columnsOf([{ sku: 'A', price: 1, currency: 'EUR' }, { sku: 'B' }])).toEqual(['sku', 'price']);
  expect([columnsOf([]), columnsOf([1]), columnsOf([{ deep: { er: 1 } }]), columnsOf('text')]).toEqual([
    null,
    null,
    null,
    null,
  ]);
  expect(['createdAt', 'shipping_address', 'sku'].map(nameInWords)).toEqual([
    'Created at',
    'Shipping address',
    'Sku',
  ]);
});
