/** The filters that can be typed, for each list: one language for both. */
import { FILTERS } from '@writecheck/api/decision-filters';
import type { Vocabulary } from './typed.ts';

/** Those that the service does not filter by; the page reads the decisions and looks. */
const READ = ['field', 'requester', 'control', 'amount'];
const OF_DECISIONS: readonly string[] = [...FILTERS.map(({ word }) => word), ...READ, 'is'];
const OF_REVIEWS: readonly string[] = ['agent', 'system', 'object', 'workflow', 'run', ...READ];

export const DECISION_WORDS: Vocabulary = {
  words: OF_DECISIONS,
  chosen: ['time', 'date', 'day', 'before', 'after', 'since', 'until'],
};

export const REVIEW_WORDS: Vocabulary = {
  words: OF_REVIEWS,
  elsewhere: OF_DECISIONS.filter((word) => !OF_REVIEWS.includes(word)),
};
