import { expect, test } from 'vitest';
import { isCurrent, PAGES } from './render-docs.ts';

test.each(Object.keys(PAGES))('%s says what the code says (else: npm run docs)', (path) => {
  expect(isCurrent(path)).toBe(true);
});
