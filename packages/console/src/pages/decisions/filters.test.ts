import { expect, test } from 'vitest';
import { filtersFrom } from './filters.ts';

test('words with a colon are exact filters, quotes keep spaces, and the rest is a search', () => {
  expect(filtersFrom('run:run-77')).toEqual({ runId: 'run-77', q: '' });
  expect(filtersFrom('object:" padded "')).toEqual({ objectRef: ' padded ', q: '' });
  expect(filtersFrom('system:erp object:V-2077')).toEqual({ system: 'erp', objectRef: 'V-2077', q: '' });
  expect(filtersFrom('a run:b  c')).toEqual({ runId: 'b', q: 'a c' });
  expect(filtersFrom('agent:ap-bot', new Map([['key_1', 'ap-bot']]))).toEqual({ keyId: 'key_1', q: '' });
  for (const typed of ['run', 'other:x', 'run:', 'https://x']) expect(filtersFrom(typed)).toBeNull();
});
