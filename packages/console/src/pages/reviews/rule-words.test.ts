import type { Review } from '@writecheck/api';
import { expect, test } from 'vitest';
import { controlInWords } from '../../components/member-labels.ts';
import type { ShownReview } from './batch-columns.ts';
import { momentInWords, worthInWords } from './batch-words.ts';
import { given, requirerInWords, ruleInWords, whyInWords } from './rule-words.ts';

const CONTROL = {
  controlId: 'approval',
  groups: null,
  approvals: 1,
  identity: 'any',
  selfReview: false,
} as const;

function review(state: Review['state'], approvedBy = 0): Review {
  const verdict = { verdict: 'approve', controls: ['approval'] };
  const verdicts = Array.from({ length: approvedBy }, () => verdict);
  return { state, verdicts, controls: [CONTROL], askedBy: [{ onBehalfOf: null }] } as unknown as Review;
}

test('a closed review says what it needed, an open one what it needs', () => {
  expect(whyInWords(review('open'), 'ap-bot')).toBe('A reviewer must approve this before ap-bot may write.');
  expect(whyInWords(review('rejected'), 'ap-bot')).toBe(
    'A reviewer had to approve this before ap-bot could write.',
  );
  expect(given(review('open'), CONTROL)).toBe('0 of 1 approval');
  expect(given(review('rejected'), CONTROL)).toBe('needed 1 approval');
  expect(given(review('approved', 1), CONTROL)).toBe('had 1 approval');
  expect(ruleInWords(review('expired'), CONTROL)).toBe(
    'Anyone who may review could approve. An owner key was enough. Whoever asked for it could not approve it.',
  );
  const named = { ...review('open'), askedBy: [{ onBehalfOf: 'm.weber@example.com' }] } as unknown as Review;
  expect(ruleInWords(named, CONTROL)).toMatch(/`m.weber@example.com` may not approve it\.$/);
});

test('several controls have one subject only if the same people may approve them all', () => {
  const why = (of: Partial<Review>) => whyInWords({ ...review('open'), ...of }, 'ap-bot');
  const [legal, finance] = ['legal', 'finance'].map((group) => ({ ...CONTROL, groups: [group] }));
  expect(why({ controls: [CONTROL, CONTROL] })).toContain('A reviewer must approve this');
  expect(why({ controls: [legal!] })).toContain('A member of legal must approve this');
  for (const of of [
    { controls: [legal!, finance!] },
    { controls: [CONTROL, CONTROL], different: [['approval', 'legal']] },
  ])
    expect(why(of)).toBe('Each control below must be approved before ap-bot may write.');
});

test('several verdicts are told with what they come to together', () => {
  const shown = (amount?: number) =>
    ({
      review: { intent: { metadata: { context: { amount, currency: 'EUR' } } } },
    }) as unknown as ShownReview;
  expect(momentInWords([shown(1.5), shown(2)], 'approve')).toBe('2 writes approved, 3.50 EUR in total.');
  expect(momentInWords([shown(9)], 'reject')).toBe('1 write rejected, 9.00 EUR.');
  expect(momentInWords([shown(), shown()], 'approve')).toBe('2 writes approved.');
  expect(worthInWords([shown(1.5), shown(2)])).toBe('2 writes, 3.50 EUR');
  expect(worthInWords([shown()])).toBe('1 write');
});

test('controls and what requires them have names that a reviewer knows', () => {
  const named = ['approval', 'fraud_screen', 'manager_approval', 'identity', 'authority_confirmation'];
  expect(named.map(controlInWords)).toEqual([
    ...['Approval', 'Fraud screen', 'Manager approval', 'Identity check', 'Override of the source'],
  ]);
  // What is not made of plain words stays as it is.
  for (const id of ['SOX-404', '\u0430pproval', 'constructor__', 'a b']) expect(controlInWords(id)).toBe(id);
  expect(requirerInWords('profile:vendor-bank-details@1')).toBe('the rule `vendor-bank-details`');
  expect(requirerInWords('limit:refunds-a-day')).toBe('the limit `refunds-a-day`');
  expect(requirerInWords('request')).toBe('the agent’s request');
  expect(requirerInWords('else`where')).toBe('`else\\u{60}where`');
});
