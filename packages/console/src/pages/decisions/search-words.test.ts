import { FILTERS } from '@writecheck/api/decision-filters';
import { expect, test } from 'vitest';
import { filtersFrom } from './filters.ts';
import { FIXED_VALUES, isUnfinished, suggestionsFor, unknownIn } from './search-words.ts';

const KNOWN = {
  ...FIXED_VALUES,
  agent: [
    ['ap-bot', ''],
    ['hr assistant', ''],
  ],
} as const;
const labels = (typed: string) => suggestionsFor(typed, KNOWN).map(({ label }) => label);

test('an empty field offers every filter, and a begun word those that it begins', () => {
  expect(labels('')).toEqual([...FILTERS.map(({ word }) => `${word}:`), 'is:']);
  expect(labels('V-10 ')).toEqual(labels(''));
  expect(labels('r')).toEqual(['reason:', 'run:']);
  expect(suggestionsFor('V-10 ag', KNOWN)[0]?.text).toBe('V-10 agent:');
  for (const typed of ['V-10', 'invoice', 'object:"a ', 'other:x']) expect(labels(typed)).toEqual([]);
});

test('every example that is offered is a filter', () => {
  for (const { what } of suggestionsFor('', KNOWN))
    expect(filtersFrom(what.replace('such as ', '')), what).toMatchObject({ q: '' });
});

test('after the colon come the values that are known, by any part of them or of what they mean', () => {
  expect(labels('agent:')).toEqual(['ap-bot', 'hr assistant']);
  expect(labels('agent:BOT')).toEqual(['ap-bot']);
  expect(labels('reason:looks')).toEqual([]);
  expect(labels('reason:limit ex')).toEqual([]);
  expect(labels('reason:exceeded')).toEqual(['limit_exceeded']);
  expect(labels('constructor:')).toEqual([]);
  expect(labels('agent:ap-bot')).toEqual([]);
  const [quoted] = suggestionsFor('agent:hr', KNOWN);
  expect(quoted?.text).toBe('agent:"hr assistant"');
  expect(filtersFrom(quoted!.text, new Map([['key_1', 'hr assistant']]))).toEqual({ keyId: 'key_1', q: '' });
});

test('a filter without its value is not finished, whatever stands before it', () => {
  for (const typed of ['agent:', 'V-10 agent: ', 'object:" pad', 'is:'])
    expect(isUnfinished(typed), typed).toBe(true);
  for (const typed of ['', 'agent', 'agent:x', 'agnt:', 'object:" padded "', 'agent: x'])
    expect(isUnfinished(typed), typed).toBe(false);
});

test('a word that is no filter is named, with the nearest that is', () => {
  expect(unknownIn('agnt:foo')).toEqual({ word: 'agnt', nearest: 'agent' });
  expect(unknownIn('Agent:foo')).toEqual({ word: 'Agent', nearest: 'agent' });
  expect(unknownIn('system:erp objct:V-1')).toEqual({ word: 'objct', nearest: 'object' });
  expect(unknownIn('amount:>20000')).toEqual({ word: 'amount', nearest: null });
  for (const typed of ['agent:foo', 'https://x', 'V-10', '12:30', 'object:"a agnt:b"'])
    expect(unknownIn(typed), typed).toBeNull();
});
