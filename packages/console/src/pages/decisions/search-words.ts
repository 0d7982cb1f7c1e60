/** The words of the search field: what can be typed next, what is not finished, and what is misspelled. */
import { FILTERS } from '@writecheck/api/decision-filters';
import { DECISIONS, REASON_CATALOGUE } from '@writecheck/contract';
import { reasonLabel } from '../../components/decision/reason-labels.ts';
import { LOOK_ALIKE } from './filters.ts';

export interface Suggestion {
  /** What the field holds once it is taken. */
  readonly text: string;
  readonly label: string;
  readonly what: string;
  /** Whether a filter is complete with it. */
  readonly isWhole: boolean;
}

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
  is: LOOK_ALIKE,
};
const WORDS: readonly string[] = [...FILTERS.map(({ word }) => word), 'is'];
const SHOWN_MAX = 8;

/** Those that need no request. */
export const FIXED_VALUES: KnownValues = {
  decision: DECISIONS.map((each) => [each, ''] as const),
  reason: Object.keys(REASON_CATALOGUE).map((code) => [code, reasonLabel(code)] as const),
  is: [[LOOK_ALIKE, 'a value that only looks right']],
};

/** For the last word typed: filters by their name, and after its colon the values of one. */
export function suggestionsFor(typed: string, known: KnownValues): readonly Suggestion[] {
  const [, before = '', last = ''] = /^(.*?)(\S*)$/s.exec(typed) ?? [];
  const [, word = '', begun] = /^([a-z]*)(?::"?(.*))?$/.exec(last) ?? [];
  if (hasOpenQuote(before) || (word === '' && last !== '')) return [];
  if (begun === undefined)
    return WORDS.filter((each) => each.startsWith(word)).map((each) => ({
      text: `${before}${each}:`,
      label: `${each}:`,
      what: `such as ${each}:${EXAMPLES[each]}`,
      isWhole: false,
    }));
  const wanted = begun.toLowerCase();
  const values = (Object.hasOwn(known, word) ? known[word]! : []).filter(([value, what]) =>
    `${value} ${what}`.toLowerCase().includes(wanted),
  );
  if (values.some(([value]) => value === begun)) return [];
  return values.slice(0, SHOWN_MAX).map(([value, what]) => ({
    text: `${before}${word}:${/^[^\s"]+$/.test(value) ? value : `"${value}"`}`,
    label: value,
    what,
    isWhole: true,
  }));
}

/** Whether a filter still lacks its value; nobody searches for the text `agent:`. */
export function isUnfinished(typed: string): boolean {
  const [, word, value = ''] = /(?:^|\s)([a-z]+):("[^"]*|)$/.exec(typed.trimEnd()) ?? [];
  return word !== undefined && WORDS.includes(word) && (value === '' || hasOpenQuote(value));
}

function hasOpenQuote(text: string): boolean {
  return text.split('"').length % 2 === 0;
}

export interface Unknown {
  readonly word: string;
  /** Null if no filter is close. */
  readonly nearest: string | null;
}

/** The first word with a colon that no filter has; the scheme of an address is none. */
export function unknownIn(typed: string): Unknown | null {
  for (const [, word = ''] of typed
    .replaceAll(/"[^"]*"?/g, '""')
    .matchAll(/(?:^|\s)([a-z]{2,12}):(?!\/\/)/gi)) {
    if (WORDS.includes(word)) continue;
    const [best] = WORDS.map((each) => ({ each, apart: distance(word.toLowerCase(), each) })).sort(
      (a, b) => a.apart - b.apart,
    );
    return { word, nearest: best!.apart <= 2 && best!.apart < word.length - 1 ? best!.each : null };
  }
  return null;
}

/** How many letters to add, drop or change. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...a].entries()) {
    const line = [row + 1];
    for (const [at, other] of [...b].entries())
      line.push(Math.min(line[at]! + 1, above[at + 1]! + 1, above[at]! + (letter === other ? 0 : 1)));
    above = line;
  }
  return above[b.length]!;
}
