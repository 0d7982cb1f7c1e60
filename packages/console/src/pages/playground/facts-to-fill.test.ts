import type { PolicyDocument } from '@writecheck/engine';
import { expect, test } from 'vitest';
import { factsToFill } from './facts-to-fill.ts';

const DOCUMENTS = [
  {
    kind: 'Profile',
    id: 'a',
    match: { system: 'shop' },
    when: 'facts.order.total > 5.0 && facts.order.buyer.id != ""',
  },
  { kind: 'Limit', id: 'l', max: 5, per: '24h', by: ['facts.order.customer', 'facts.order.currency'] },
  { kind: 'Profile', id: 'b', match: { system: 'erp' }, when: 'facts.order.other == "x"' },
  { kind: 'Profile', id: 'c', when: 'facts.vendor.name == "x"' },
] as const satisfies readonly PolicyDocument[];

test('the facts to fill in are those of the control that rules for this write read', () => {
  expect(factsToFill(DOCUMENTS, { system: 'shop', objectType: 'order', objectRef: 'O-1' }, 'order')).toEqual({
    total: 0,
    buyer: { id: '' },
    customer: '',
    currency: 'EUR',
  });
});
