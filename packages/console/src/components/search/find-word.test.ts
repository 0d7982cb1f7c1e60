import { expect, test } from 'vitest';
import { fc } from '../../../../../scripts/fast-check.ts';
import { findWord } from './find-word.ts';

const marked = (text: string, word: string) => {
  const found = findWord(text, word.toLowerCase());
  return found === null ? null : text.slice(...found);
};

test('an IBAN is found with and without its spaces, and an amount with and without its commas', () => {
  expect(marked('DE89 3704 0044 0532 0130 00', 'DE89370400440532013000')).toBe('DE89 3704 0044 0532 0130 00');
  expect(marked('DE89370400440532013000', 'de89 3704 0044')).toBe('DE8937040044');
  expect(marked('DE89 3704 0044 0532 0130 00', '37040044')).toBe('3704 0044');
  expect(marked('148,250.00 EUR', '148250')).toBe('148,250');
  expect(marked('148250.5', '148,250.5')).toBe('148250.5');
  // Cyrillic letters and other characters that deceive stay what they are.
  expect(marked('DЕ89 3704 0044 0532', 'DE8937040044')).toBeNull();
});

test('a word is never put together from the words of a sentence, nor from few digits', () => {
  expect(marked('Please pay 12 of 34 invoices, 56', '1234')).toBeNull();
  expect(marked('please pay 1 000 and 500', '1000500')).toBeNull();
  expect(marked('V-10 5', 'v-105')).toBeNull();
});

test('what is found is part of the text, and says the word', () => {
  const plain = (text: string) => text.replaceAll(/[ ,]/g, '').toLowerCase();
  fc.assert(
    fc.property(
      fc.stringMatching(/^[A-Z0-9 ,.]{0,30}$/),
      fc.stringMatching(/^[a-z0-9 ,]{1,8}$/),
      fc.nat(30),
      (text, word, from) => {
        const found = findWord(text, word, from);
        if (found === null) return;
        expect(found[0]).toBeGreaterThanOrEqual(from);
        expect(plain(text.slice(...found))).toBe(plain(word));
      },
    ),
  );
});
