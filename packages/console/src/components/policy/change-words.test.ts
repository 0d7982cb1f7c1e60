import type { Finding, PolicyDocument } from '@writecheck/engine';
import { expect, test } from 'vitest';
import { inNumbers } from './change-words.ts';

const finding = (pointer: string, message: string) =>
  ({ kind: 'tightens', documentKind: 'Profile', id: 'p', pointer, message }) as Finding;
const profile = (when: string) => ({ kind: 'Profile', id: 'p', when }) as PolicyDocument;
const said = (before: string, after: string) =>
  inNumbers(finding('/when', 'its condition changed'), profile(before), profile(after)).message;

test('a changed bound is told by its numbers, and amounts as money', () => {
  expect(said('intent.metadata.context.amount > 500.0', 'intent.metadata.context.amount > 1250')).toBe(
    'from amounts over 500.00 to over 1,250.00',
  );
  expect(said('facts.order.lines >= 5', 'facts.order.lines > 3')).toBe('from `lines` from 5 to over 3');
});

test('two conditions that differ in more than a number keep the words of the comparison', () => {
  expect(said('a.amount > 5', 'b.amount > 5')).toBe('its condition changed');
  expect(said('a.amount > 5 && true', 'a.amount > 3 && true')).toBe('its condition changed');
});

test('an age is told in whole words, with the control', () => {
  const aged = finding(
    '/controls/identity/maxAge',
    'control `identity`: evidence may be 20m old instead of 1h',
  );
  expect(inNumbers(aged, undefined, undefined).message).toBe(
    'a check of `identity` may be 20 minutes old instead of 1 hour',
  );
});
