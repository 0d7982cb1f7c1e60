/** What people type into a search, of decisions as of reviews: words, filters such as `system:erp`, and a minus before either. */
import { DECISIONS } from '@writecheck/contract';
import { LOOK_ALIKE as REASON_LOOK_ALIKE, reasonCalled } from '../decision/reason-labels.ts';
import { amountRangeOf } from './amount-range.ts';

export interface Term {
  readonly word: string;
  /** INVARIANT: what was typed to be left out is never asked for. */
  readonly isNot: boolean;
  readonly value: string;
}

export interface Wanted {
  readonly text: string;
  readonly isNot: boolean;
}

export type Typed = ReturnType<typeof readTyped>;

/** The filters of a list. */
export interface Vocabulary {
  readonly words: readonly string[];
  /** Those that only Decisions has. */
  readonly elsewhere?: readonly string[];
  /** What somebody might type, and is chosen beside the search. */
  readonly chosen?: readonly string[];
}

/** The value of `is` for writes that were stopped although their value looked right. */
export const LOOK_ALIKE = 'lookalike';

const TOKEN = /[^\s"]*"[^"]*"?|\S+/g;
const TERM = /^([-!]?)([a-z]{2,12}):(?:"([^"]*)("?)|([^"]*))$/i;
/** Do not read the scheme of a URL as a filter. */
const ADDRESS = /^[-!]?[a-z]{2,12}:\/\//i;
const WORD = /^(-?)(?:"([^"]*)"?|(.+))$/s;
/** A thing has only one of each but these. */
const REPEATABLE = ['amount', 'control', 'requester'];

export function readTyped(text: string, vocabulary: Vocabulary) {
  const { words: known, elsewhere = [], chosen = [] } = vocabulary;
  const terms: Term[] = [];
  /** What is searched for in everything that is said; all of it must be there. */
  const words: Wanted[] = [];
  const faults: string[] = [];
  /** `isUnfinished`: the last filter still lacks its value or its quote. */
  let [isNotNext, isUnfinished] = [false, false];
  /** The first word with a colon that no filter has. */
  let unknown: string | null = null;
  const tokens = text.match(TOKEN) ?? [];
  for (const [at, token] of tokens.entries()) {
    const isLast = at === tokens.length - 1;
    if (token === 'NOT' && !isLast) {
      isNotNext = true;
      continue;
    }
    if (token === 'AND' && !isLast && at > 0) continue;
    if (token === 'OR' && !isLast && at > 0) faults.push(NO_OR);
    if (/^[-!]?\(+[-!]?[a-z]{2,12}:/i.test(token)) faults.push('Brackets are not possible here.');
    const [, sign = '', named = '', quoted, quote, bare = ''] =
      (ADDRESS.test(token) ? null : TERM.exec(token)) ?? [];
    const word = named.toLowerCase();
    const isNot = (sign !== '') !== isNotNext;
    if (known.includes(word)) {
      const value = quoted ?? bare;
      const isOpen = isLast && (value === '' || (quoted !== undefined && quote === ''));
      isUnfinished ||= isOpen;
      if (!isOpen) faults.push(...faultOf(word, value, quoted !== undefined));
      terms.push({ isNot, ...meant(word, value) });
    } else if (chosen.includes(word)) faults.push(`Choose the time beside the search, not as ${word}:`);
    else if (word !== '' && elsewhere.includes(word)) faults.push(`${word}: is a filter of Decisions.`);
    else if (word !== '' && isNot) faults.push(`No filter is called ${named}, so it can leave nothing out.`);
    else words.push(wordOf(token, isNotNext));
    if (word !== '' && !known.includes(word) && !elsewhere.includes(word)) unknown ??= named;
    isNotNext = false;
  }
  const asked = terms
    .filter(({ word, isNot }) => !isNot && !REPEATABLE.includes(word))
    .map(({ word }) => word);
  const repeated = asked.find((word, at) => asked.indexOf(word) !== at);
  if (repeated !== undefined)
    faults.push(`Only one ${repeated}: at a time. With a minus, several are left out.`);
  // `fault` is why it cannot be searched for; null if it can.
  return { terms, words, fault: faults[0] ?? null, isUnfinished, unknown };
}

const NO_OR = 'OR is not possible: everything that you type must match. In quotes, it is a word.';

function wordOf(token: string, isNotBefore: boolean): Wanted {
  const [, sign = '', quoted, bare] = WORD.exec(token) ?? [];
  const text = quoted ?? bare;
  return text === undefined
    ? { text: token, isNot: isNotBefore }
    : { text, isNot: (sign !== '') !== isNotBefore };
}

/** A value as people call it, such as `paused` or the label of a reason, becomes the one that the list knows. */
function meant(word: string, value: string): { readonly word: string; readonly value: string } {
  if (word === 'reason') {
    const code = value === '' ? null : reasonCalled(value);
    return code === REASON_LOOK_ALIKE ? { word: 'is', value: LOOK_ALIKE } : { word, value: code ?? value };
  }
  const plain = value.toLowerCase().replaceAll('-', '');
  const known = Object.hasOwn(ONE_OF, word)
    ? ONE_OF[word]!.find((each) => [each, `${each}d`, `${each}ed`].includes(plain))
    : undefined;
  return { word, value: known ?? value };
}

function faultOf(typed: string, said: string, isQuoted: boolean): readonly string[] {
  const { word, value } = meant(typed, said);
  if (value === '') return [`Type the value right after ${word}:`];
  if (word === 'amount')
    return amountRangeOf(value) === null
      ? ['amount: takes a number or a range, such as amount:>10000, amount:<=500 or amount:100..500.']
      : [];
  if (word === 'reason' && reasonCalled(value) === null)
    return [`No reason is called ${value}. Choose one from the list.`];
  if (Object.hasOwn(ONE_OF, word) && !ONE_OF[word]!.includes(value))
    return [`${word}: is ${EITHER.format(ONE_OF[word]!)}.`];
  if (!isQuoted && value.includes('*')) {
    const part = value.replaceAll('*', '');
    return [`${word}: takes a whole value, without *.${part === '' ? '' : ` ${part} alone finds any part.`}`];
  }
  return [];
}

const EITHER = new Intl.ListFormat('en-GB', { type: 'disjunction' });
const ONE_OF: { readonly [word: string]: readonly string[] } = {
  decision: DECISIONS,
  is: [LOOK_ALIKE],
};

/** As it is typed. */
export function termText({ word, isNot, value }: Term): string {
  return `${isNot ? '-' : ''}${word}:${/^[^\s"]+$/.test(value) ? value : `"${value}"`}`;
}

export function wordText({ text, isNot }: Wanted): string {
  const isPlain = /^[^\s"-][^\s"]*$/.test(text) && !['NOT', 'AND', 'OR'].includes(text);
  return `${isNot ? '-' : ''}${isPlain ? text : `"${text}"`}`;
}
