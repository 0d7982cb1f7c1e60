import { expect, test } from 'vitest';
import { marked, visible } from './visible-text.ts';

test.each([
  ['control', 'a\u001b[2Jb\r\n\t\u0000', 'a\\u{1b}[2Jb\\u{d}\\u{a}\\u{9}\\u{0}'],
  ['bidi', 'pay\u202eEUR\u2066', 'pay\\u{202e}EUR\\u{2066}'],
  ['invisible', 'a\u200bb\u00adc\u3164d\ufe0fe\u2800', 'a\\u{200b}b\\u{ad}c\\u{3164}d\\u{fe0f}e\\u{2800}'],
  ['tags', 'a\u{e0041}', 'a\\u{e0041}'],
  ['spaces', 'a\u00a0b\u3000c\u2028d e', 'a\\u{a0}b\\u{3000}c\\u{2028}d e'],
  ['an escape that somebody wrote', '\\u{202e}', '\\\\u{202e}'],
])('%s characters are shown', (_kind, text, shown) => {
  expect(visible(text)).toBe(shown);
});

test('readable characters stay unchanged', () => {
  for (const text of ['DE89 3704 0044', 'Zoë Straße', '金額', '12,50 €']) expect(visible(text)).toBe(text);
});

test.each([
  ['a letter of another script', 'p\u0430ypal', 'p\\u{430}ypal'],
  ['a wide letter', '\uff21BC', '\\u{ff21}BC'],
  ['a tail after many spaces', `DE89${' '.repeat(9_000)}tail`, 'DE89\\u{20}*9000tail'],
  ['a run that somebody wrote', '\\u{20}*4', '\\\\u{20}*4'],
  ['a hidden character', 'a\u200bb', 'a\\u{200b}b'],
])('%s is marked if somebody decides about it', (_kind, text, shown) => {
  expect(marked(text)).toBe(shown);
});

test('readable characters are not marked', () => {
  for (const text of ['DE89 3704 0044', 'Zoë Straße', '金額', '12,50 €', 'привет', 'a   b'])
    expect(marked(text)).toBe(text);
});
