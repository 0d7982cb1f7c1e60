/** Entries of reviews for tests. */
import { type LoggedReviewEntry, reviewEntryBytes } from '../src/index.ts';
import { type TestEntry, WORKSPACE } from './test-log.ts';

export const reviewEntry = (changes: Partial<LoggedReviewEntry> = {}): LoggedReviewEntry => ({
  kind: 'review',
  log: 'w1',
  event: 'opened',
  review: 'rev_1',
  workspace: WORKSPACE,
  intentDigest: `sha256:${'a'.repeat(64)}`,
  timestamp: '2026-11-15T04:00:00.000Z',
  by: { kind: 'checking_key', id: 'key_1' },
  details: {},
  ...changes,
});

export const reviewLogEntry = (changes: Partial<LoggedReviewEntry> = {}): TestEntry => ({
  bytes: reviewEntryBytes(reviewEntry(changes)),
});
