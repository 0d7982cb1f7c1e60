import type { Review } from '@writecheck/api';
import { expect, test } from 'vitest';
import { warningsOf } from '../../components/review/warnings.ts';
import { narrowed, narrowingOf, placeInWords } from './sort-reviews.ts';

function review(id: string, members: object = {}, agentValue?: string): Review {
  const intent = {
    system: 'erp',
    objectType: 'vendor',
    objectRef: id,
    field: 'iban',
    ...(agentValue && { agentValue }),
  };
  return { id, intent, askedBy: [], controls: [], comments: [], ...members } as unknown as Review;
}

test('the inbox lists attempts to deceive first, then what needs a thought, each by expiry', () => {
  const rows = [
    review('plain'),
    review('rejected', { earlier: [{ id: 'rev_0', state: 'rejected', at: '' }] }),
    review('overrides', { confirms: 'confirmation' }),
    review('hidden', {}, 'DE89\u200b3704'),
  ];
  const order = (query: string) =>
    narrowed(rows, narrowingOf(new URLSearchParams(query))).map(({ id }) => id);
  // Until it is looked through, a review stays where the service lists it.
  expect(order('')).toEqual(['plain', 'rejected', 'overrides', 'hidden']);
  for (const row of rows) warningsOf(row);
  expect(order('')).toEqual(['hidden', 'rejected', 'overrides', 'plain']);
  expect(order('order=expiry')).toEqual(['plain', 'rejected', 'overrides', 'hidden']);
  const frozen = new Set(['hidden', 'plain']);
  const more = [...rows, review('free')];
  const listed = narrowed(more, narrowingOf(new URLSearchParams()), frozen);
  // An attempt to deceive is worth a rejection, frozen or not.
  expect(listed.map(({ id }) => id)).toEqual(['hidden', 'rejected', 'overrides', 'free', 'plain']);
});

test('every column sorts both ways, and what has no amount comes last in both', () => {
  const paid = (id: string, amount: number | null, agent: string) => {
    const row = review(id, { askedBy: [{ keyName: agent }] });
    return { ...row, intent: { ...row.intent, metadata: { context: { amount } } } } as Review;
  };
  const rows = [paid('V-10', 5, 'b'), paid('V-9', null, 'c'), paid('V-2', 70, 'a')];
  const order = (by: string) =>
    narrowed(rows, narrowingOf(new URLSearchParams({ order: by }))).map(({ id }) => id);
  expect(order('amount')).toEqual(['V-2', 'V-10', 'V-9']);
  expect(order('-amount')).toEqual(['V-10', 'V-2', 'V-9']);
  expect(order('agent')).toEqual(['V-2', 'V-10', 'V-9']);
  expect(order('-agent')).toEqual(['V-9', 'V-10', 'V-2']);
  expect(order('object')).toEqual(['V-2', 'V-9', 'V-10']);
  expect(order('-expiry')).toEqual(['V-2', 'V-9', 'V-10']);
  // An address can name anything.
  expect(order('-constructor')).toEqual(order(''));
});

test('closed reviews sort by when they closed, who decided and how they ended', () => {
  const past = (id: string, state: string, hour: number, name?: string) =>
    review(id, {
      state,
      resolvedAt: `2026-11-18T0${hour}:00:00Z`,
      verdicts: name === undefined ? [] : [{ by: { kind: 'person', id: 'per_1', name } }],
    });
  const rows = [past('a', 'rejected', 1, 'Zoe'), past('b', 'approved', 3, 'Rita'), past('c', 'expired', 2)];
  const order = (by: string) =>
    narrowed(rows, narrowingOf(new URLSearchParams({ order: by }), 'closed')).map(({ id }) => id);
  expect(order('')).toEqual(['b', 'c', 'a']);
  expect(order('-closed')).toEqual(['a', 'c', 'b']);
  expect(order('decider')).toEqual(['b', 'a', 'c']);
  expect(order('state')).toEqual(['b', 'c', 'a']);
});

test('two values for one member come before what has no warning', () => {
  const rows = [
    review('a'),
    ...['1', '2'].map((value) => ({ ...review(value, {}, value), intent: review('b', {}, value).intent })),
  ];
  for (const row of rows) warningsOf(row);
  const order = narrowed(rows, narrowingOf(new URLSearchParams())).map(({ id }) => id);
  expect(order).toEqual(['1', '2', 'a']);
});

test('a page of the list says which rows it shows, and of how many if that is known', () => {
  expect(placeInWords(2, 30, 45, true)).toBe('31–45 of 45');
  expect(placeInWords(1, 30, 31, false)).toBe('1–30');
  // The list shrank while its second page was open.
  expect(placeInWords(2, 30, 12, true)).toBe('1–12 of 12');
});

test('the inbox takes the filters of the decision list, several at once, and a minus before each', () => {
  const rows = [
    review('V-1', { askedBy: [{ keyId: 'key_1', keyName: 'ap-bot', onBehalfOf: 'cfo@example.com' }] }),
    review('V-2', { askedBy: [{ keyId: 'key_2', keyName: 'hr' }], controls: [{ controlId: 'approval' }] }),
    review('V-3', { askedBy: [{ keyId: 'key_1', keyName: 'ap-bot' }] }),
  ];
  Object.assign(rows[2]!.intent, { system: 'crm', metadata: { context: { amount: 20_000 } } });
  const found = (q: string) =>
    narrowed(rows, { ...narrowingOf(new URLSearchParams()), q }).map(({ id }) => id);
  expect(found('agent:ap-bot')).toEqual(['V-1', 'V-3']);
  expect(found('-agent:ap-bot')).toEqual(['V-2']);
  expect(found('agent:ap-bot -system:crm')).toEqual(['V-1']);
  expect(found('amount:>10000')).toEqual(['V-3']);
  expect(found('requester:CFO')).toEqual(['V-1']);
  expect(found('control:approval iban')).toEqual(['V-2']);
  expect(found('-V-3 field:iban')).toEqual(['V-1', 'V-2']);
  // Half typed, or not possible.
  for (const q of ['agent:', 'V agent:', 'amount:>', '-agnt:x']) expect(found(q), q).toHaveLength(3);
});
