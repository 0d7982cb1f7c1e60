import { expect, test } from 'vitest';
import { destinationsFor } from './destinations.ts';
import { objectsFor, recentObject, reviewObject } from './known-objects.ts';
import { actionsFor } from './palette-actions.ts';

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

test('a thing is found by any of its words, up to five of each kind, with what it is', () => {
  const intent = (objectRef: string) => ({
    system: 'erp',
    objectType: 'vendor',
    objectRef,
    field: 'iban',
    agentValue: `DE12 ${objectRef}`,
    metadata: { context: { amount: 148250, currency: 'EUR' } },
  });
  const reviews = ['V-1016', 'V-1017', 'V-1018', 'V-1019', 'V-1020', 'V-1021', 'W-1'].map((objectRef, at) =>
    reviewObject({ id: `rev_${at}`, intent: intent(objectRef) }),
  );
  const found = objectsFor('v-10', [reviews]);
  expect(found).toHaveLength(5);
  expect(found[0]).toMatchObject({
    label: 'Change the IBAN of vendor V-1016',
    what: '148,250.00 EUR, open review',
    detail: 'DE12 V-1016',
    path: '/reviews/rev_0',
  });
  expect(objectsFor('iban w-1', [reviews]).map(({ path }) => path)).toEqual(['/reviews/rev_6']);
  expect(objectsFor(' ', [reviews])).toEqual([]);
  const recent = [{ label: 'Change the IBAN of vendor W-1', what: 'review', path: '/reviews/rev_6' }];
  expect(objectsFor('w-1', [recent.map(recentObject), reviews])).toMatchObject(recent);
  expect(destinationsFor('v-10', undefined, found).map(({ path }) => path)).toEqual([
    ...found.map(({ path }) => path),
    '/decisions',
  ]);
});

test('an empty palette has what was looked at lately, pages with their keys, and only then what the user may do', () => {
  const actions = actionsFor(undefined, {});
  const recent = [{ label: 'ap-bot', what: 'agent', path: '/agents/key_1' }];
  const all = destinationsFor('', undefined, [], actions, recent);
  expect([...new Set(all.map(({ part }) => part))]).toEqual(['Recent', 'Pages', 'Actions']);
  expect(all.slice(0, 2).map(({ label }) => label)).toEqual(['ap-bot', 'Overview']);
  // Enter in an empty palette does nothing that cannot be undone.
  expect(destinationsFor('', undefined, [], actions)[0]?.act).toBeUndefined();
  expect(all.find(({ path }) => path === '/reviews')?.keys).toEqual(['g', 'i']);
  const found = destinationsFor('dark', undefined, [], actions);
  expect(found.map(({ label }) => label)).toEqual(['Dark theme', 'Search decisions for “dark”']);
  const labels = actionsFor(REVIEWER, {}).map(({ label }) => label);
  expect(labels).not.toContain('Create a key …');
  expect(labels).not.toContain('Invite a person …');
});
