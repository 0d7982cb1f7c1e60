/** What several verdicts come to, in words. */

import type { Review } from '@writecheck/api';
import { counted } from '../../components/counted.ts';
import { sumsOf } from '../../components/decision/said-in-intent.ts';
import { fieldInWords, operationInWords } from '../../components/member-labels.ts';
import type { ShownReview } from './batch-columns.ts';
import { agentNameOf } from './order-reviews.ts';

/** Such as "20 IBAN changes by ap-bot". */
export function batchTitle(reviews: readonly Review[]): string {
  const { length: count } = reviews;
  const agents = new Set(reviews.map(agentNameOf));
  const [kind, ...others] = new Set(reviews.map(kindInWords));
  const what = others.length > 0 || kind === undefined ? 'write' : kind;
  const by = agents.size === 1 ? ` by ${[...agents][0]}` : '';
  return `${counted(count, what)}${by}`;
}

function kindInWords({ intent: { field, operation } }: Review): string {
  if (typeof field === 'string') return `${fieldInWords(field).replace(/^the /, '')} change`;
  return typeof operation === 'string' ? `${operationInWords(operation).toLowerCase()} write` : 'write';
}

/** Such as "3 writes approved, 3,913.70 EUR in total." */
export function momentInWords(decided: readonly ShownReview[], verdict: 'approve' | 'reject'): string {
  const word = verdict === 'approve' ? 'approved' : 'rejected';
  const total = decided.length > 1 ? ' in total' : '';
  const sum = sumInWords(decided);
  return `${counted(decided.length, 'write')} ${word}${sum === '' ? '' : `, ${sum}${total}`}.`;
}

/** Such as "4 writes, 88,317.11 EUR". */
export function worthInWords(writes: readonly ShownReview[]): string {
  const sum = sumInWords(writes);
  return `${counted(writes.length, 'write')}${sum === '' ? '' : `, ${sum}`}`;
}

/** One sum for each currency; empty if none names an amount. */
function sumInWords(writes: readonly ShownReview[]): string {
  return sumsOf(writes.map(({ review }) => review.intent)).sums.join(' and ');
}
