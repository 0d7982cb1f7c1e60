/** The words of the search field: what can be typed next. */
import { DECISIONS, REASON_CATALOGUE } from '@writecheck/contract';
import { reasonLabel } from '../../components/decision/reason-labels.ts';
import { LOOK_ALIKE, termText } from '../../components/search/typed.ts';
import { DECISION_WORDS } from '../../components/search/vocabularies.ts';

export type Suggestion = ReturnType<typeof suggestionsFor>[number];

/** The values of a word, newest or best known first; each with what it means, where the value does not say it. */
export type KnownValues = { readonly [word: string]: readonly (readonly [value: string, what: string])[] };

const EXAMPLES: { readonly [word: string]: string } = {
  decision: 'block',
  reason: 'limit_exceeded',
  system: 'erp',
  object: 'V-2077',
  workflow: 'payout-42',
  run: 'run-77',
  agent: 'ap-bot',
  field: 'iban',
  requester: 'cfo@example.com',
  control: 'approval',
  amount: '>10000',
  is: LOOK_ALIKE,
};
const WORDS = DECISION_WORDS.words;
const SHOWN_MAX = 8;

/** As they are chosen and suggested. */
export const REASONS = [
  [LOOK_ALIKE, 'Look-alike value'] as const,
  ...Object.keys(REASON_CATALOGUE).map((code) => [code, reasonLabel(code)] as const),
];

/** Those that need no request. */
export const FIXED_VALUES: KnownValues = {
  decision: DECISIONS.map((each) => [each, ''] as const),
  reason: REASONS,
  amount: [
    ['>10000', 'over 10,000'],
    ['<=500', 'up to 500'],
    ['1000..5000', 'from 1,000 to 5,000'],
  ],
  is: [[LOOK_ALIKE, 'a value that only looks right']],
};

/** For the last word typed: filters by their name, and after its colon the values of one. With a minus, to leave out. */
export function suggestionsFor(typed: string, known: KnownValues) {
  const last = typed.split(/\s/).at(-1)!;
  const before = typed.slice(0, typed.length - last.length);
  const [, sign = '', word = '', begun] = /^(-?)([a-z]*)(?::"?(.*))?$/.exec(last) ?? [];
  if (hasOpenQuote(before) || (word === '' && last !== sign)) return [];
  if (begun === undefined)
    return WORDS.filter((each) => each.startsWith(word)).map((each) => ({
      // What the field holds once it is taken.
      text: `${before}${sign}${each}:`,
      label: `${sign}${each}:`,
      what: `${sign === '' ? 'such as' : 'leaves out, such as'} ${sign}${each}:${EXAMPLES[each]}`,
      // Whether a filter is complete with it.
      isWhole: false,
    }));
  const wanted = begun.toLowerCase();
  const values = (Object.hasOwn(known, word) ? known[word]! : []).filter(([value, what]) =>
    `${value} ${what}`.toLowerCase().includes(wanted),
  );
  if (values.some(([value]) => value === begun)) return [];
  return values.slice(0, SHOWN_MAX).map(([value, what]) => ({
    text: `${before}${termText({ word, isNot: sign !== '', value })}`,
    label: value,
    what,
    isWhole: true,
  }));
}

function hasOpenQuote(text: string): boolean {
  return text.split('"').length % 2 === 0;
}
