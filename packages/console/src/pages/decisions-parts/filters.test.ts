import { expect, test } from 'vitest';
import { exactFrom } from './filters.ts';

test('a word with a colon is an exact filter, quotes keep spaces, and anything else is a search', () => {
  expect(exactFrom('run:run-77')).toEqual({ name: 'runId', value: 'run-77' });
  expect(exactFrom('object:" padded "')).toEqual({ name: 'objectRef', value: ' padded ' });
  for (const typed of ['run', 'other:x', 'run:', 'a run:b', 'https://x']) expect(exactFrom(typed)).toBeNull();
});
