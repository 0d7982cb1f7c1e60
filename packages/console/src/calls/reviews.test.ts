import type { Review } from '@writecheck/api';
import { expect, test, vi } from 'vitest';
import { listDecided } from './reviews.ts';

const MINE = { by: { kind: 'person', id: 'per_me' } };

/** Of each state, newest first; only the last of the approved ones has a verdict of mine. */
function reviewsIn(state: string): readonly Review[] {
  return Array.from({ length: 5 }, (_, at) => ({
    id: `${state}-${at}`,
    state,
    openedAt: new Date(10_000 - at).toISOString(),
    resolvedAt: null,
    verdicts: state === 'approved' && at === 4 ? [MINE] : state === 'rejected' ? [{ by: null }] : [],
  })) as unknown as readonly Review[];
}

vi.mock('../api.ts', () => ({
  success: (value: unknown) => ({ kind: 'success', value }),
  call: async (_: string, { query }: { query: { state: string; limit: string } }) => ({
    kind: 'success',
    value: { reviews: reviewsIn(query.state).slice(0, Number(query.limit)), nextCursor: null },
  }),
}));

test('what others decided takes no place of what the user decided', async () => {
  const signal = new AbortController().signal;
  const mine = await listDecided(5, signal, ({ by }) => by?.id === 'per_me');
  expect(mine).toMatchObject({ kind: 'success', value: [{ id: 'approved-4' }] });
  const all = await listDecided(5, signal);
  if (all.kind === 'failure') throw new Error('failed');
  expect(all.value.map(({ id }) => id)).toEqual(
    [0, 1, 2, 3].map((at) => `rejected-${at}`).concat('approved-4'),
  );
});
