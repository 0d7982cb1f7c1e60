/** Whether something has what was typed, as far as it is known. */
import { contextOf, requesterOf, type SaidIntent } from '../decision/said-in-intent.ts';
import { amountRangeOf, isWithin } from './amount-range.ts';
import { findWord } from './find-word.ts';
import type { Term, Wanted } from './typed.ts';

/** The values that a thing has for a filter; undefined while they are not read. */
type ValuesOf = (word: string) => readonly string[] | undefined;

/** Undefined if that is not known yet. */
export function fits(terms: readonly Term[], valuesOf: ValuesOf): boolean | undefined {
  let isKnown = true;
  for (const { word, isNot, value } of terms) {
    const values = valuesOf(word);
    if (values === undefined) isKnown = false;
    else if (values.some((said) => isMeant(word, value, said)) === isNot) return false;
  }
  return isKnown ? true : undefined;
}

function isMeant(word: string, wanted: string, said: string): boolean {
  if (word === 'amount') {
    const range = amountRangeOf(wanted);
    return range !== null && isWithin(range, said);
  }
  // Names of members are no values: people write them as the page shows them.
  if (word === 'field' || word === 'control') return said.toLowerCase() === wanted.toLowerCase();
  if (word === 'requester') return said.toLowerCase().includes(wanted.toLowerCase());
  return said === wanted;
}

export function hasWords(words: readonly Wanted[], said: readonly string[]): boolean {
  return words.every(({ text, isNot }) => {
    const word = text.toLowerCase();
    return said.some((each) => findWord(each, word) !== null) !== isNot;
  });
}

/** What to mark in texts. */
export function markedText(words: readonly Wanted[]): string {
  return words
    .filter(({ isNot }) => !isNot)
    .map(({ text }) => text)
    .join(' ');
}

/** What an intent itself says, for the filters that lists do not carry. */
export function saidByIntent(word: string, intent: SaidIntent): readonly string[] {
  if (word === 'requester') return [requesterOf(intent)].filter((each) => each !== null);
  const { amount, currency } = contextOf(intent);
  // An amount that was sent as a string still matches an amount filter.
  const isAmount =
    typeof amount === 'number' || (typeof amount === 'string' && /^-?\d+(\.\d+)?$/.test(amount));
  if (!isAmount) return [];
  return [typeof currency === 'string' ? `${amount} ${currency}` : String(amount)];
}
