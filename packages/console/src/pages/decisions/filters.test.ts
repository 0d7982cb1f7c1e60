import { expect, test } from 'vitest';
import { chipsOf } from './chips.ts';
import { type Filters, filtersFrom, isSearched, isSettled, typedIn } from './filters.ts';

const AGENTS = new Map([['key_1', 'ap-bot']]);
const from = (text: string, set: Filters = {}) => filtersFrom(typedIn(text), AGENTS, set);

test('words with a colon are exact filters, quotes keep spaces, and the rest is a search', () => {
  expect(from('run:run-77')).toEqual({ runId: 'run-77', q: '' });
  expect(from('object:" padded "')).toEqual({ objectRef: ' padded ', q: '' });
  expect(from('system:erp object:V-2077')).toEqual({ system: 'erp', objectRef: 'V-2077', q: '' });
  expect(from('a run:b  c')).toEqual({ runId: 'b', q: 'a c' });
  expect(from('agent:ap-bot')).toEqual({ keyId: 'key_1', q: '' });
  for (const typed of ['run', 'other:x', 'https://x']) expect(from(typed)).toBeNull();
});

test('what is to be left out never becomes what is asked for', () => {
  for (const typed of [
    '-agent:ap-bot',
    '!agent:ap-bot',
    'NOT agent:ap-bot',
    '-agent:"ap-bot"',
    'AND -agent:ap-bot',
  ])
    expect(from(typed), typed).toMatchObject({ terms: '-agent:ap-bot' });
  for (const word of [
    'agent',
    'reason',
    'decision',
    'system',
    'object',
    'run',
    'workflow',
    'field',
    'control',
  ]) {
    const value = { decision: 'allow', reason: 'frozen' }[word] ?? 'x';
    expect(from(`-${word}:${value}`), word).toEqual({ terms: `-${word}:${value}`, q: '' });
  }
  // What cannot be is refused, and changes no filter.
  for (const typed of ['-agnt:x', 'agent:a OR agent:b', '-(agent:x)', 'agent:ap-*'])
    expect(from(typed), typed).toBeNull();
});

test('a pause applies finished filters and words, and never what may still become a filter', () => {
  for (const text of [
    '',
    'refund',
    'agent:ap-bot ',
    'agent:ap-bot refund',
    'object:"V 1"',
    'https://x',
    'x:y',
  ])
    expect(isSettled(text), text).toBe(true);
  for (const text of [
    'amo',
    '-ag',
    'ap-bot amount',
    'amount:',
    'agent:ap-bot amount:>3',
    'agent:ap',
    'object:"V',
  ])
    expect(isSettled(text), text).toBe(false);
  expect(isSettled('amount:many ')).toBe(false);
});

test('other filters are added to those that are set, each once, and a chip says which are left out', () => {
  const set = { terms: '-agent:ap-bot' };
  const changed = from('amount:>10000 -agent:ap-bot -agent:hr -refund', set);
  expect(changed).toEqual({ terms: '-agent:ap-bot amount:>10000 -agent:hr', q: '-refund' });
  const filters = { ...set, ...changed, keyId: 'key_1' };
  expect(isSearched(filters)).toBe(true);
  const chips = chipsOf(filters, AGENTS);
  expect(chips.map(({ label, value }) => `${label} ${value}`)).toEqual([
    'Does not contain refund',
    'Agent ap-bot',
    'Agent is not ap-bot',
    'Amount over 10,000',
    'Agent is not hr',
  ]);
  expect(chips[0]?.without).toEqual({ q: '' });
  expect(chips[2]?.without).toEqual({ terms: 'amount:>10000 -agent:hr' });
});
