import { expect, test } from 'vitest';
import { destinationsFor } from './destinations.ts';

const ID = `${'0123456789abcdef'.repeat(2)}`;
const REVIEWER = { id: 'per_1', name: 'R', email: 'r@example.com', roles: ['reviewer'], groups: [] } as const;

test('an ID leads to its page and nowhere else', () => {
  expect(destinationsFor(` dec_${ID}\n`, undefined).map(({ path }) => path)).toEqual([
    `/decisions/dec_${ID}`,
  ]);
  expect(destinationsFor(`rev_${ID}`, undefined).map(({ path }) => path)).toEqual([`/reviews/rev_${ID}`]);
});

test('other text finds pages by name, in any case, and can be searched for', () => {
  const found = destinationsFor('POLIC', undefined);
  expect(found.map(({ label }) => label)).toEqual([
    'Policies',
    'Policy map',
    'Policy revisions',
    'Search decisions for “POLIC”',
  ]);
  expect(found.at(-1)?.query).toEqual({ q: 'POLIC', time: 'all' });
});

test('pages that the user may not open are left out', () => {
  expect(destinationsFor('keys', undefined)[0]?.path).toBe('/keys');
  expect(destinationsFor('keys', REVIEWER).map(({ path }) => path)).toEqual(['/decisions']);
});
