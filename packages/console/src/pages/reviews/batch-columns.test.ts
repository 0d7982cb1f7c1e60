import type { Review } from '@writecheck/api';
import { expect, test } from 'vitest';
import { coveredWrite, membersOf } from '../../components/review/covered.ts';
import { batchOf, memberOf, restOf, type ShownReview } from './batch-columns.ts';

function shown(members: object, onBehalfOf: string, justification = 'too much for me'): ShownReview {
  const intent = { system: 'payments', objectType: 'payment', operation: 'refund.create', ...members };
  const review = { intent, askedBy: [{ onBehalfOf, justification }] } as unknown as Review;
  return { review, write: coveredWrite(intent) };
}

function refund(objectRef: string, amount: number, requestedBy: string, more: object = {}): ShownReview {
  const context = { amount, currency: 'EUR', requestedBy, ...more };
  return shown({ objectRef, metadata: { agent: 'bot', context } }, requestedBy);
}

test('members that differ become columns, and what is the same is said once', () => {
  const all = [refund('P-1', 5, 'ada', { note: 'late' }), refund('P-2', 6, 'bo', { note: 'broken' })];
  const batch = batchOf(all);
  expect(batch.columns.map(({ label }) => label)).toEqual(['Amount', 'For', 'Note']);
  expect(batch.isOneKind).toBe(true);
  expect(all.map(({ write }) => restOf(write, batch))).toEqual([[], []]);
  expect(batch.shared.map(({ label }) => label)).toEqual([
    'Agent says it is',
    'System',
    'Kind of object',
    'Operation',
  ]);
  // Whom it is for is said by that column already.
  expect(batch.said.map(({ name, text }) => [name, text])).toEqual([['Justification', 'too much for me']]);
});

test('every covered member of every write is shared, in a column, or in its row', () => {
  const all = [
    refund('P-1', 5, 'ada', { note: 'x'.repeat(90), odd: 1, deep: { a: [1] } }),
    refund('P-2'.repeat(30), 5, 'ada', { odd: '1' }),
    shown({ objectRef: 'V-1', field: 'iban', agentValue: 'DE1', authorityValue: 'DE2' }, 'ada'),
    shown({ objectRef: 'V-1', field: 'iban', agentValue: 'DE1', authorityValue: 'DE1' }, 'bo'),
    shown(
      { objectRef: 'V-2', field: 'iban', agentValue: 'y'.repeat(500), authorityValue: 'y'.repeat(500) },
      'bo',
    ),
  ];
  for (const some of [all, all.slice(0, 2), all.slice(2), all.slice(3)]) {
    const batch = batchOf(some);
    for (const { write } of some) {
      const rest = restOf(write, batch);
      for (const row of [...membersOf(write), ...(write.after === null ? [] : [write.after])]) {
        const isShown =
          batch.shared.some(({ id, text }) => id === row.id && text === row.text) ||
          batch.columns.some(({ id }) => memberOf(write, id)?.text === row.text && id === row.id) ||
          rest.includes(row) ||
          (batch.isOneKind && row.id === '["objectRef"]') ||
          (batch.areConfirmed && row === write.before && row.text === write.after?.text);
        expect(isShown, row.id).toBe(true);
        // What is folded can only be opened where it stands.
        if (write.folds.includes(row.id)) expect(rest).toContain(row);
      }
    }
  }
});

test('what the source has is shown once if it is each new value, and two values for one object contradict it', () => {
  const iban = (objectRef: string, value: string) =>
    shown({ system: 'erp', objectRef, field: 'iban', agentValue: value, authorityValue: value }, 'ada');
  const plain = batchOf([iban('V-1', 'DE1'), iban('V-2', 'DE2')]);
  expect(plain).toMatchObject({ areConfirmed: true, areContradicting: false });
  const rivals = batchOf([iban('V-1', 'DE1'), iban('V-1', 'DE2')]);
  expect(rivals).toMatchObject({ areConfirmed: true, areContradicting: true });
  expect(rivals.columns.map(({ id }) => id)).toEqual(['["agentValue"]']);
});
