import type { Review } from '@writecheck/api';
import { expect, test } from 'vitest';
import { isMine, RELEASED, TAKEN, takenBy } from './taken.ts';

type Comment = Review['comments'][number];

function said(text: string, kind: 'person' | 'owner_key' | 'checking_key', id: string): Comment {
  return { text, by: { kind, id, name: id }, at: '2026-11-18T10:00:00Z' };
}

function taker(...comments: readonly Comment[]): string | null {
  return takenBy({ state: 'open', comments })?.by.id ?? null;
}

test('whoever said so last works on a review, until they say that they no longer do', () => {
  expect(taker()).toBeNull();
  expect(taker(said(TAKEN, 'person', 'ada'))).toBe('ada');
  expect(taker(said(TAKEN, 'person', 'ada'), said('Which invoice?', 'person', 'bo'))).toBe('ada');
  expect(taker(said(TAKEN, 'person', 'ada'), said(TAKEN, 'person', 'bo'))).toBe('bo');
  expect(taker(said(TAKEN, 'person', 'ada'), said(RELEASED, 'person', 'ada'))).toBeNull();
  expect(takenBy({ state: 'approved', comments: [said(TAKEN, 'person', 'ada')] })).toBeNull();
});

test('a caller neither takes nor releases a review, whatever it writes', () => {
  expect(taker(said(TAKEN, 'checking_key', 'bot'))).toBeNull();
  expect(taker(said(TAKEN, 'person', 'ada'), said(RELEASED, 'checking_key', 'bot'))).toBe('ada');
});

test('owner keys are one author', () => {
  const taken = takenBy({ state: 'open', comments: [said(TAKEN, 'owner_key', 'key_1')] })!;
  expect(isMine(taken, undefined)).toBe(true);
  expect(isMine(taken, { id: 'key_1', name: '', email: '', roles: [], groups: [] })).toBe(false);
});
