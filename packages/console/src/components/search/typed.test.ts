import { expect, test } from 'vitest';
import { amountRangeOf, isWithin, rangeInWords } from './amount-range.ts';
import { fits, hasWords } from './fits.ts';
import { readTyped } from './typed.ts';
import { DECISION_WORDS, REVIEW_WORDS } from './vocabularies.ts';

const read = (text: string) => readTyped(text, DECISION_WORDS);
const faultOf = (text: string) => read(text).fault;

test('a minus, an exclamation mark or NOT before a filter leaves out, twice asks again, and words take a minus', () => {
  for (const text of ['-agent:x', '!agent:x', 'NOT agent:x', 'V-1 -Agent:x', '-agent:"x"'])
    expect(read(text).terms, text).toEqual([{ word: 'agent', isNot: true, value: 'x' }]);
  expect(read('NOT -agent:x').terms[0]?.isNot).toBe(false);
  expect(read('a-agent:x')).toMatchObject({ terms: [], words: [{ text: 'a-agent:x', isNot: false }] });
  expect(read('refund -"big one" - "-5"').words).toEqual([
    { text: 'refund', isNot: false },
    { text: 'big one', isNot: true },
    { text: '-', isNot: false },
    { text: '-5', isNot: false },
  ]);
});

test('what cannot be searched for is refused with a sentence', () => {
  expect(faultOf('agent:a OR agent:b')).toMatch(/^OR is not possible/);
  expect(faultOf('-(agent:x)')).toMatch(/^Brackets/);
  expect(faultOf('-agnt:x')).toBe('No filter is called agnt, so it can leave nothing out.');
  expect(faultOf('agent:a agent:b')).toMatch(/^Only one agent: at a time/);
  expect(faultOf('agent: x')).toBe('Type the value right after agent:');
  expect(faultOf('object:V-10*')).toBe('object: takes a whole value, without *. V-10 alone finds any part.');
  expect(faultOf('decision:denied')).toBe('decision: is allow, pause or block.');
  expect(faultOf('amount:lots')).toMatch(/^amount: takes a number or a range/);
  expect(readTyped('reason:x', REVIEW_WORDS).fault).toBe('reason: is a filter of Decisions.');
  const fine = [
    '',
    '-agent:a -agent:b',
    'amount:>1 amount:<5',
    'https://x',
    '12:30',
    '"OR" x',
    'other:x',
    'object:"a*"',
  ];
  for (const text of fine) expect(faultOf(text), text).toBeNull();
});

test('a value may be typed as people call it, and one that does not exist is named', () => {
  const one = (text: string) => read(text).terms[0];
  const lookAlike = { word: 'is', value: 'lookalike' };
  for (const text of ['reason:look-alike', 'reason:"Look-alike value"', 'reason:look', 'is:look-alike'])
    expect(one(text), text).toMatchObject({ isNot: false, ...lookAlike });
  expect(one('-reason:lookalike')).toMatchObject({ isNot: true, ...lookAlike });
  expect(one('reason:"check missing"')?.value).toBe('CONTROL_EVIDENCE_MISSING');
  expect(one('reason:control_failed')?.value).toBe('CONTROL_FAILED');
  expect(one('reason:expired')?.value).toBe('CONTROL_EVIDENCE_EXPIRED');
  expect(one('decision:Paused')?.value).toBe('pause');
  expect(faultOf('reason:nonsense')).toBe('No reason is called nonsense. Choose one from the list.');
  // More than one has it.
  expect(faultOf('reason:check')).toMatch(/^No reason is called check/);
  expect(faultOf('before:2026-11-18')).toBe('Choose the time beside the search, not as before:');
  expect(readTyped('before:x', REVIEW_WORDS).fault).toBeNull();
});

test('a filter without its value is not finished, whatever stands before it', () => {
  for (const text of ['agent:', 'V-10 agent: ', 'object:" pad', 'is:', '-agent:'])
    expect(read(text), text).toMatchObject({ isUnfinished: true, fault: null });
  for (const text of ['', 'agent', 'agent:x', 'agnt:', 'object:" padded "'])
    expect(read(text).isUnfinished, text).toBe(false);
});

test('a word that is no filter is named', () => {
  expect(read('agnt:foo').unknown).toBe('agnt');
  expect(read('system:erp objct:V-1').unknown).toBe('objct');
  for (const text of ['agent:foo', 'Agent:foo', 'https://x', 'V-10', '12:30', 'object:"a agnt:b"'])
    expect(read(text).unknown, text).toBeNull();
});

test('amounts compare, with either bound in a range, in one currency if one is named', () => {
  const is = (text: string, said: string) => isWithin(amountRangeOf(text)!, said);
  expect(is('>10000', '10000 EUR')).toBe(false);
  expect(is('>10,000', '10000.01')).toBe(true);
  expect(is('>=10k', '10000 EUR')).toBe(true);
  expect(is('<500', '500')).toBe(false);
  expect(is('<=500', '-3')).toBe(true);
  expect(is('1k..5k', '5000')).toBe(true);
  expect(is('148250', '148250 EUR')).toBe(true);
  expect(is('>1EUR', '5 JPY')).toBe(false);
  expect(is('>1eur', '5')).toBe(false);
  expect(rangeInWords(amountRangeOf('>=1.5m usd')!)).toBe('from 1,500,000.00 USD');
  for (const text of ['', 'x', '>', '1..', '5..1', '>1 EURO', '1,x'])
    expect(amountRangeOf(text), text).toBeNull();
});

test('what is not read yet is neither found nor left out', () => {
  const [term] = read('-amount:>5').terms;
  expect(fits([term!], () => undefined)).toBeUndefined();
  expect(fits([term!], () => ['6'])).toBe(false);
  expect(fits([term!], () => [])).toBe(true);
  const both = read('-amount:>5 system:erp').terms;
  expect(fits(both, (word) => (word === 'system' ? ['crm'] : undefined))).toBe(false);
  // Objects that differ in case are two, and hiding one must not hide the other.
  expect(fits(read('-object:V-1').terms, () => ['v-1'])).toBe(true);
  expect(
    fits(read('field:IBAN requester:CFO').terms, (word) => (word === 'field' ? ['iban'] : ['the cfo'])),
  ).toBe(true);
  expect(hasWords(read('refund -big').words, ['a big refund'])).toBe(false);
});
