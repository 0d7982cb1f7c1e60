import { expect, test } from 'vitest';
import { DECISION_WORDS } from '../../components/search/vocabularies.ts';
import { filtersFrom, typedIn } from './filters.ts';
import { FIXED_VALUES, suggestionsFor } from './search-words.ts';

const KNOWN = {
  ...FIXED_VALUES,
  agent: [
    ['ap-bot', ''],
    ['hr assistant', ''],
  ],
} as const;
const labels = (typed: string) => suggestionsFor(typed, KNOWN).map(({ label }) => label);

test('an empty field offers every filter, and a begun word those that it begins', () => {
  expect(labels('')).toEqual(DECISION_WORDS.words.map((word) => `${word}:`));
  expect(labels('V-10 ')).toEqual(labels(''));
  expect(labels('r')).toEqual(['reason:', 'run:', 'requester:']);
  expect(labels('-ag')).toEqual(['-agent:']);
  expect(labels('-')).toHaveLength(labels('').length);
  expect(suggestionsFor('V-10 ag', KNOWN)[0]?.text).toBe('V-10 agent:');
  for (const typed of ['V-10', 'invoice', 'object:"a ', 'other:x']) expect(labels(typed)).toEqual([]);
});

test('every example that is offered is a filter', () => {
  for (const { what } of suggestionsFor('', KNOWN))
    expect(filtersFrom(typedIn(what.replace('such as ', '')), new Map()), what).toMatchObject({ q: '' });
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
  const agents = new Map([['key_1', 'hr assistant']]);
  expect(filtersFrom(typedIn(quoted!.text), agents)).toEqual({ keyId: 'key_1', q: '' });
  expect(suggestionsFor('-agent:hr', KNOWN)[0]?.text).toBe('-agent:"hr assistant"');
});
