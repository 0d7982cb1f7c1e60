/** What several verdicts come to, in words. */
import { sumsOf } from '../../components/decision/said-in-intent.ts';
import type { ShownReview } from './batch-columns.ts';

/** Such as "3 writes approved, 3,913.70 EUR in total." */
export function momentInWords(decided: readonly ShownReview[], verdict: 'approve' | 'reject'): string {
  const what = `${decided.length} ${decided.length === 1 ? 'write' : 'writes'}`;
  const word = verdict === 'approve' ? 'approved' : 'rejected';
  const { sums } = sumsOf(decided.map(({ review }) => review.intent));
  const total = decided.length > 1 ? ' in total' : '';
  return `${what} ${word}${sums.length === 0 ? '' : `, ${sums.join(' and ')}${total}`}.`;
}
