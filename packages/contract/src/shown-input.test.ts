import { expect, test } from 'vitest';
import { oneLine, shown } from './shown-input.ts';

test('a name is shown without control characters, backticks or look-alike letters', () => {
  expect(shown('\u001b]0;pwned\u0007\u001b[2K\nwas `allowed` é')).toBe('?]0;pwned??[2K?was ?allowed? ?');
});

test('a long name is cut', () => {
  expect(shown('x'.repeat(64))).toBe('x'.repeat(64));
  expect(shown('x'.repeat(1e6))).toBe(`${'x'.repeat(64)}…`);
});

test('a line stays one line and keeps its words', () => {
  expect(oneLine('`tool` was not run: é\n\u001b[2K\u2028\u202eok\r')).toBe('`tool` was not run: é??[2K??ok?');
});
