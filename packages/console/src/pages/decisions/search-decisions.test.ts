import { expect, test, vi } from 'vitest';
import type { Filters } from './filters.ts';
import { type Step, searchDecisions } from './search-decisions.ts';
import { soughtIn } from './what-is-said.ts';

const COUNT = 450;
const UNREADABLE = 'dec_447';

/** Newest first; the amount of each is its number, and one cannot be read. */
vi.mock('../../calls/decisions.ts', () => ({
  listDecisions: async ({ cursor = String(COUNT) }: { cursor?: string }) => {
    const from = Number(cursor);
    const decisions = Array.from({ length: Math.min(200, from) }, (_, at) => ({
      decision_id: `dec_${from - at}`,
      timestamp: new Date(from - at).toISOString(),
      keyId: `key_${(from - at) % 2}`,
      keyName: null,
    }));
    return { kind: 'success', value: { decisions, nextCursor: from <= 200 ? null : String(from - 200) } };
  },
  readDecision: async (id: string) => {
    if (id === UNREADABLE) return { kind: 'failure', status: 500, code: 'internal' };
    const amount = Number(id.slice(4));
    return { kind: 'success', value: { decision_id: id, intent: { metadata: { context: { amount } } } } };
  },
}));

async function stepsOf(filters: Filters) {
  const steps: Step[] = [];
  for await (const step of searchDecisions({}, soughtIn(filters), new AbortController().signal)) {
    if (step.kind === 'failure') throw new Error(step.code);
    steps.push(step);
  }
  return steps;
}

test('a search pauses once 300 are read, says what is left, goes on to the end, and one bad record does not stop it', async () => {
  const steps = await stepsOf({ order: 'amount' });
  const [paused, ...more] = steps.filter(({ isPause }) => isPause);
  expect(more).toEqual([]);
  expect(paused).toMatchObject({ searched: COUNT, isAll: true, unread: COUNT - 312, unreadable: 1 });
  const last = steps.at(-1)!;
  expect(last).toMatchObject({ searched: COUNT, isAll: true, unread: 0, unreadable: 1 });
  expect(last.found).toHaveLength(COUNT - 1);
});

test('an amount is found as the page shows it', async () => {
  const last = (await stepsOf({ q: '0,446.00' })).at(-1)!;
  expect(last.found.map(({ row }) => row.decision_id)).toEqual([]);
  const found = (await stepsOf({ q: '446.00' })).at(-1)!;
  expect(found.found.map(({ row }) => row.decision_id)).toEqual(['dec_446']);
});

test('a filter that is left out and one that compares are both kept to, newest first', async () => {
  const last = (await stepsOf({ terms: 'amount:<=446 -agent:key_0' })).at(-1)!;
  const ids = last.found.map(({ row }) => row.decision_id);
  expect(ids.slice(0, 2)).toEqual(['dec_445', 'dec_443']);
  expect(ids).toHaveLength(223);
});
